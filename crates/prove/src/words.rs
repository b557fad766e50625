//! Words that mean something in code whoever wrote it: what logs, what fails, what only tests say.

/// Whether a call only tells somebody something, by its words from the first to the last.
pub(crate) fn is_logging(first: &str, last: &str) -> bool {
    LOGGERS.contains(&first) || LOG_CALLS.contains(&last)
}

const LOGGERS: &[&str] = &[
    "log", "logger", "logging", "console", "tracing", "slog", "warnings", "LOG", "LOGGER", "_logger", "_log",
    "glog", "klog", "zap", "logrus",
];

const LOG_CALLS: &[&str] = &[
    "print",
    "println",
    "eprint",
    "eprintln",
    "dbg",
    "debug",
    "info",
    "warn",
    "warning",
    "trace",
    "Printf",
    "Println",
    "Print",
    "Fprintf",
    "Fprintln",
    "Fprint",
    "Debugf",
    "Infof",
    "Warnf",
    "Debug",
    "Info",
    "Warn",
    "getLogger",
    "log",
];

/// Whether a call makes an error, says it, or stops with it, by the last of its words.
pub(crate) fn is_failing(last: &str) -> bool {
    ["Error", "Exception", "Errorf", "Err"].iter().any(|end| last.ends_with(end))
        || FAIL_CALLS.contains(&last)
}

const FAIL_CALLS: &[&str] = &[
    "anyhow",
    "bail",
    "ensure",
    "panic",
    "unreachable",
    "todo",
    "unimplemented",
    "expect",
    "ok_or",
    "ok_or_else",
    "map_err",
    "context",
    "with_context",
    "wrap",
    "Wrap",
    "Wrapf",
    "Fatal",
    "Fatalf",
    "fatal",
    "assert",
    "fail",
    "reject",
    "abort",
    "invariant",
];

/// Calls that leave the program or the function: what follows them may rely on that.
pub(crate) const LEAVING_CALLS: &[&str] =
    &["panic", "exit", "_exit", "Exit", "abort", "Goexit", "unreachable", "super", "todo", "quit", "next"];

/// Calls without which a program waits for ever, or never ends: a mutant that times out tells nothing.
pub(crate) const WAITING_CALLS: &[&str] = &[
    "Lock",
    "Unlock",
    "RLock",
    "RUnlock",
    "lock",
    "unlock",
    "acquire",
    "release",
    "Done",
    "Add",
    "Wait",
    "wait",
    "close",
    "Close",
    "join",
    "start",
    "notify",
    "notify_all",
    "flush",
    "resolve",
    "done",
    "callback",
    "cb",
    "end",
    "clearTimeout",
    "clearInterval",
    "cancel",
    "Stop",
    "Signal",
    "Broadcast",
    "sleep",
    "Sleep",
];

/// Calls that a loop goes on by.
pub(crate) const STEPPING_CALLS: &[&str] = &[
    "pop",
    "shift",
    "popleft",
    "advance",
    "bump",
    "skip",
    "step",
    "read",
    "pop_front",
    "pop_back",
    "Next",
    "consume",
    "remove",
    "delete",
    "Remove",
    "heappop",
    "PopFront",
    "splice",
    "add",
    "insert",
    "set",
    "drop",
];

/// Calls whose literal arguments are values that they work with, not names or messages.
pub(crate) const TEXT_CALLS: &[&str] = &[
    "split",
    "join",
    "startswith",
    "starts_with",
    "startsWith",
    "endswith",
    "ends_with",
    "endsWith",
    "strip",
    "lstrip",
    "rstrip",
    "trim_matches",
    "trim_start_matches",
    "trim_end_matches",
    "replace",
    "replaceAll",
    "HasPrefix",
    "HasSuffix",
    "TrimPrefix",
    "TrimSuffix",
    "Trim",
    "TrimLeft",
    "TrimRight",
    "Split",
    "SplitN",
    "Join",
    "Contains",
    "includes",
    "indexOf",
    "contains",
    "strip_prefix",
    "strip_suffix",
    "split_once",
    "partition",
    "rpartition",
    "removeprefix",
    "removesuffix",
    "padStart",
    "padEnd",
    "ljust",
    "rjust",
    "zfill",
    "Repeat",
    "repeat",
    "push",
    "Index",
    "IndexByte",
    "rsplit",
    "rsplit_once",
    "splitn",
    "rfind",
    "find",
    "ReplaceAll",
    "Replace",
    "Cut",
    "WriteByte",
    "WriteRune",
    "count",
    "push_str",
    "WriteString",
];

/// Whether a name says that it holds words for a person.
pub(crate) fn names_message(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "message",
        "msg",
        "error",
        "help",
        "usage",
        "doc",
        "description",
        "label",
        "prompt",
        "title",
        "log",
        "banner",
    ]
    .iter()
    .any(|part| name.contains(part))
        || name.starts_with("__")
}

/// Whether a call belongs to a test framework.
pub(crate) fn is_framework(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["assert", "expect", "should"].iter().any(|start| lower.starts_with(start))
        || FRAMEWORK.contains(&name)
        || MATCHERS.contains(&name)
}

/// Whether a call belongs to a language or what comes with it, so that it is not what a test tests.
pub(crate) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

#[rustfmt::skip]
const MATCHERS: &[&str] = &[
    "toBe", "toEqual", "toStrictEqual", "toContain", "toContainEqual", "toThrow", "toThrowError", "toMatch",
    "toMatchObject", "toHaveLength", "toBeNull", "toBeUndefined", "toBeDefined", "toBeTruthy", "toBeFalsy",
    "toBeCloseTo", "toBeGreaterThan", "toBeGreaterThanOrEqual", "toBeLessThan", "toBeLessThanOrEqual", "toBeNaN",
    "toHaveBeenCalled", "toHaveBeenCalledTimes", "toHaveBeenCalledWith", "toHaveProperty", "toBeInstanceOf",
    "toMatchSnapshot", "toMatchInlineSnapshot", "toHaveBeenLastCalledWith", "toHaveBeenNthCalledWith",
];

#[rustfmt::skip]
const FRAMEWORK: &[&str] = &[
    // Suites and tests.
    "describe", "it", "test", "suite", "specify", "each", "beforeEach", "afterEach", "before", "after",
    "beforeAll", "afterAll", "subTest", "parametrize", "fixture", "Run", "Helper", "Parallel", "Cleanup", "TempDir",
    "Setenv", "param", "skipTest", "SkipNow", "Skipf",
    // What fails.
    "Errorf", "Fatal", "Fatalf", "FailNow", "Logf", "raises", "warns",
    // Chai, node's assert, testify.
    "strictEqual", "deepEqual", "deepStrictEqual", "notEqual", "notStrictEqual", "notDeepEqual", "notDeepStrictEqual",
    "throws", "rejects", "doesNotThrow", "doesNotReject", "doesNotMatch", "NotEqual", "NotNil", "NoError",
    "NotEmpty", "ElementsMatch", "InDelta", "eql", "ErrorIs", "ErrorAs", "ErrorContains", "NotContains", "Panics",
    "JSONEq", "approx", "closeTo", "prop_assert", "prop_assert_eq", "prop_assume", "spyOn", "useFakeTimers", "DeepEqual",
    // Words of a language that brackets may follow.
    "if", "for", "while", "switch", "return", "await", "function", "catch", "typeof", "func", "struct", "interface",
    "not", "and", "or", "in", "is", "lambda", "yield", "assert", "with", "elif", "match", "new", "else", "fn", "def",
    "async", "except", "throw", "raise", "as", "case", "let", "mut", "move", "self", "this", "super", "import", "from",
];

#[rustfmt::skip]
const BUILTINS: &[&str] = &[
    "len", "str", "int", "float", "list", "dict", "set", "tuple", "sorted", "range", "print", "isinstance", "repr",
    "type", "enumerate", "zip", "bool", "bytes", "sum", "min", "max", "abs", "round", "any", "all", "map", "filter",
    "open", "String", "Number", "Boolean", "Array", "Date", "Map", "Set", "Promise", "Symbol", "require", "unwrap",
    "unwrap_err", "is_ok", "is_err", "is_some", "is_none", "to_string", "to_owned", "into", "iter", "collect", "clone",
    "vec", "format", "Some", "Ok", "Err", "from", "as_str", "as_ref", "is_empty", "println", "append", "make", "string",
    "byte", "rune", "int64", "float64", "cap", "copy", "Sprintf", "Sprint", "Println", "Printf", "stringify", "keys",
    "values", "items", "entries", "forEach", "reduce", "slice", "concat", "join", "split", "toString", "into_iter",
    "as_bytes", "to_vec", "then", "unwrap_or_default", "cmp", "partial_cmp", "dedent", "equal", "Equal", "equals", "ok",
    "is", "Nil", "True", "False", "Len", "Contains", "Empty", "Error", "fail", "Fail", "panic", "include", "eq", "be",
    "skip", "Skip", "mock", "match", "expect", "expect_err", "Repeat", "repeat", "Split", "Join", "setTimeout", "Log",
    "Decimal", "Path", "date", "datetime", "timedelta", "from_millis", "from_secs", "context", "sleep", "push",
    "getattr", "setattr", "patch", "fn", "TypeError", "ValueError", "KeyError", "RegExp", "parseInt", "parseFloat",
];
