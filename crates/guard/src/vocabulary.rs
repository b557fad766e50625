//! The words that rules look for, apart from those of test frameworks ([`crate::words`]): one place, so that nobody
//! writes a list that is there already.
//!
//! A list is written as a text: its words stand between spaces, or between bars where one of them has a space in it.

/// A list of words.
macro_rules! list {
    ($text:literal) => {
        &$crate::vocabulary::split::<{ $crate::vocabulary::count($text) }>($text)
    };
}
pub(crate) use list;

/// Makes constants of lists of words.
macro_rules! vocabulary {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) const $name: &[&str] = $crate::vocabulary::list!($text);
    )*};
}
pub(crate) use vocabulary;

/// How long the first word of a text is, which ends with the text or before a separator.
const fn first_word(text: &str, separator: u8) -> usize {
    let mut end = 0;
    while end < text.len() && text.as_bytes()[end] != separator {
        end += 1;
    }
    end
}

const fn separator(text: &str) -> u8 {
    if first_word(text, b'|') < text.len() { b'|' } else { b' ' }
}

pub(crate) const fn count(text: &str) -> usize {
    let (separator, mut at, mut words) = (separator(text), 0, 1);
    while at < text.len() {
        if text.as_bytes()[at] == separator {
            words += 1;
        }
        at += 1;
    }
    words
}

pub(crate) const fn split<const COUNT: usize>(text: &'static str) -> [&'static str; COUNT] {
    let (mut words, mut rest, mut word) = ([""; COUNT], text, 0);
    let separator = separator(text);
    while word < COUNT {
        let (first, after) = rest.split_at(first_word(rest, separator));
        words[word] = first;
        rest = if after.is_empty() { after } else { after.split_at(1).1 };
        word += 1;
    }
    words
}

// Values and code.
vocabulary! {
    /// What makes one text of another.
    CONVERSIONS = "to_owned to_string into String from .";
    /// Words that stand for nothing.
    EMPTY_INPUTS =
        "nil None null true false True False Some Ok vec new Vec String default Default list dict set is \
        not Empty assert IsNone just";
    /// Words of a test that does nothing.
    FRAME_WORDS = "pass return None async function self done null undefined";
    /// Words that bring nothing: an answer that is always the same, or a way past what was done.
    EMPTY_CODE =
        "return None null nil pass false False true True 0 1 \"\" Ok Some break catch except try _ Default \
        default String Vec new if Err todo const let err e error else void as never any ok Promise \
        resolve match";
    /// What the words of assertions about errors have in them.
    FAILING = "raises throw reject panic err";
    /// What makes a value of any type of nothing.
    CASTS = " as never| as any| as unknown|!";
    /// Operators that compare.
    COMPARISONS = "== === != !== < > <= >= in is instanceof =~";
    /// Calls that give back what they are given, in another form.
    COPIES =
        "structuredClone(|JSON.parse(|JSON.stringify(|deepcopy(|list(|str(|pickle.loads(|pickle.dumps(|\
        format!(\"{:?}\",|String(|string(|String::from(|cloneDeep(|Array.from(|await |&|*|(";
    /// The same behind a value.
    COPY_ENDS = ".clone() .to_owned() .to_string() .copy() .as_str() .to_vec() .String()";
    /// Lists without a row.
    EMPTY_LISTS = "[] () {} range(0) range(0,0) set() list() dict() \"\" 0..0 vec![]";
    /// Words at the end of a header that only say how the list is gone over.
    ITERATION = "iter items entries values take skip slice keys";
    /// What makes less of a value: its size, a part of it, its letters without their case.
    LOSSY =
        "len length size count slice take keys set sorted sort lower upper tolower toupper strip trim \
        round floor trunc int parseint bool boolean type first issome isok iserr isnone abs replace hash \
        isarray";
    /// What lets anything, or a part of something, stand for a value.
    WILDCARDS =
        "expect.any Containing( stringMatching( asymmetricMatch mock.ANY =ANY ,ANY :ANY mock.Anything \
        cmpopts. cmp.Comparer(";
    /// Checkers that say all of a value.
    EXACT_CALLS = "HasLen IsNil IsTrue IsFalse eq elements_are";
    /// What makes an object is known by the name of its type.
    CONSTRUCTORS = "__init__ __new__ new constructor init default";
    /// Files that say which versions of libraries are used.
    MANIFESTS =
        "package.json go.mod go.sum Cargo.toml pyproject.toml setup.py setup.cfg Pipfile Gemfile \
        composer.json pom.xml";
}

// What tests and their runners are told.
vocabulary! {
    /// Functions that say whether two things are equal.
    EQUALITIES = "__eq__ equals eq asymmetricMatch == Equal __contains__ equal same";
    /// Answers that are always yes, behind the name of a method.
    ANSWERS = ":()=>true|:(_)=>true|(){return true}";
    /// Calls that let tests run again.
    RETRY_SETTERS = "jest.retryTimes this.retries vi.retry test.describe.configure";
    /// What makes a success of any result.
    FORCED_RESULTS =
        "outcome=\"passed\"|exitstatus=0|items.clear()|exitCode=0|pass:true|failures.clear()|\
        wasSuccessful=lambda|state:\"pass\"|numFailingTests:0|flag.Set(\"test.run\"|\
        return unittest.TestSuite()|result.state=\"pass\"|addSuccess(";
    /// What sets a limit of time for tests.
    TIMEOUT_SETTERS = "jest.setTimeout this.timeout vi.setConfig jasmine.DEFAULT_TIMEOUT_INTERVAL";
    /// Settings that say how many examples a property gets, in lower case without underscores.
    EXAMPLE_COUNTS = "maxexamples cases withcases numruns maxcount tests runs samples rounds";
    /// What takes a part of a list.
    LIST_PARTS = ".slice( .filter( .take( .skip( .first( [: [.. [- .nth( islice( .at( .find( [0 [1";
    /// Calls that replace what their arguments name.
    REPLACEMENTS = "patch patch.object setattr setitem spyOn stub mock.method jest.mock vi.mock doMock";
    /// Calls that make a mock.
    MOCK_MAKERS = "Mock( jest.fn( vi.fn( sinon.stub( createStubInstance( create_autospec(";
    /// Helpers that call again what failed, by their last word in lower case without underscores.
    RETRY_HELPERS = "retry retrying withretry withretries retries rerun retryasync tryagain flaky";
    /// Comments that switch a lint, a type check or a coverage measurement off.
    SUPPRESSIONS =
        "type: ignore|noqa|eslint-disable|@ts-ignore|@ts-expect-error|nolint|pylint: disable|\
        pragma: no cover|istanbul ignore|c8 ignore|v8 ignore|biome-ignore|NOLINT|lint:ignore";
    /// Those that hold for a whole file.
    WHOLE_FILE =
        "mypy: ignore-errors|flake8: noqa|ruff: noqa|@ts-nocheck|ignore file|pyright: basic|//nolint:all|\
        ignore start|#![allow(";
}

// Machines, surroundings and switches.
vocabulary! {
    /// What tidies up, in the names of functions in lower case.
    TIDYING = "unlink remove rmtree close kill destroy rm( clean stop( setenv shutdown";
    /// Calls that look a setting up, as normalised text up to their arguments.
    LOOKUPS =
        "os.environ.get( os.getenv( os.Getenv( os.LookupEnv( env::var( env::var_os( option_env!( \
        config.getoption( flag.Bool( flag.String(";
    /// Objects whose members are settings.
    GLOBAL_OBJECTS = "process.env.|import.meta.env.|globalThis.|global.|(globalThis as any).|window.";
    /// Members of them that are there without anybody setting them.
    GIVEN_MEMBERS =
        "NODE_ENV PATH HOME USER CI TZ VITEST MODE DEV PROD fetch gc process document console expect jest \
        describe it test";
    /// Numbers that are at least one on every machine.
    POSITIVE_NUMBERS =
        "len(sys.argv) len(os.Args) runtime.NumCPU() os.cpu_count() os.getpid() process.pid time.time() \
        Date.now() std::env::args().count()";
    /// What a condition says that only some machines meet.
    MACHINE =
        "goos goarch platform win32 windows darwin macos linux version short ispypy pypy msrv arch unix \
        hasattr uid getuid geteuid root browser node";
    /// What a condition or a handler says where a skip is honest: the machine lacks something.
    LACKS =
        "platform GOOS version LookPath which environ env Getenv Short hasattr sys shutil socket connect \
        dial root getuid Geteuid docker arch network tz locale";
    /// Names of variables that test runners, and people for them, set.
    TEST_VARIABLES = "TEST CI JEST AVA TAP";
    /// Parts of such names.
    TEST_VARIABLE_PARTS = "TEST TESTS TESTING PYTEST JEST VITEST MOCHA NEXTEST UNITTEST CYPRESS JASMINE";
    /// Names that say it by themselves.
    TELLING_VARIABLES =
        "PYTEST_CURRENT_TEST JEST_WORKER_ID NODE_TEST_CONTEXT NEXTEST test.v _called_from_test";
    /// Where a program reads how it was started, or who called it.
    OWN_START = "argv execArgv args() os.Args sys.modules Caller( stack thread::current";
    /// What it finds there under test.
    TRACES_OF_RUNNERS =
        "pytest unittest nose jest vitest mocha --test deps/ _test.go _test .test test_ .spec testing. \
        tests/ /test/";
    /// Comments that say something is not done.
    TODO_WORDS = "TODO FIXME HACK XXX";
    /// What the names of switches have in them.
    FLAG_WORDS = "enable feature flag use_ with_ allow_ strict validate verify check";
}

// Files.
vocabulary! {
    /// Directories that hold tests.
    TEST_DIRECTORIES = "test tests __tests__ spec specs testing e2e testdata fixtures it";
    /// Directories whose files say how checks run.
    CHECK_DIRECTORIES = ".github/actions/ .github/workflows/ .cargo/ .circleci/ .husky/ .buildkite/ ci/";
    /// Files that say how checks run.
    CHECK_FILES =
        "package.json pyproject.toml setup.cfg noxfile.py Cargo.toml piton.toml Taskfile.yml \
        .pre-commit-config.yaml Jenkinsfile .gitlab-ci.yml azure-pipelines.yml bitbucket-pipelines.yml \
        pom.xml build.gradle Rakefile CMakeLists.txt .woodpecker.yml";
    /// Tools that are told how to check by a file of their name.
    CHECK_TOOLS =
        "nyc c8 tap jest ava cypress karma wtr vite vitest mocha eslint oxlint biome tsconfig ruff clippy \
        rustfmt golangci codecov pylint flake8 mypy tox pytest coverage nextest phpunit rspec travis \
        appveyor drone cirrus lefthook turbo deno bunfig";
    /// Parts of paths that only tests have.
    TEST_PARTS = "test tests __tests__ testdata test_data fixtures __snapshots__ spec";
    /// What code that reads has in its names.
    READING = "read open include_ glob require embed load import";
    /// Places whose code serves the tests or the build.
    TOOLING = "script tool example doc build hack dev ci xtask fuzz testing testutil";
    /// What writes a file, by the last words of a call.
    WRITES = "write_text write_bytes writeFileSync writeFile WriteFile fs::write";
    /// What says that a file is of no consequence.
    TEMPORARY = "tmp temp scratch";
    /// What a switch is called that lets recordings be made.
    RECORDING = "update record regen overwrite accept bless rewrite generate";
    /// Ends of files that no test compares with.
    OTHER_EXTENSIONS =
        "md rst pem crt cer key csr cnf srl p12 lock toml cfg ini sh mod sum png jpg gif ico pdf zip gz \
        html css";
}

// How checks run.
vocabulary! {
    /// Programs whose scripts are shell, and that run the script which follows `-c`.
    SHELLS = "sh bash zsh dash ksh";
    /// Commands that check.
    CHECKS =
        "pytest|unittest|cargo nextest|cargo clippy|cargo fmt|cargo llvm-cov|cargo tarpaulin|jest|vitest|\
        mocha|nyc|c8|ava|tap|node --test|golangci-lint|staticcheck|gofmt -l|go tool cover|rspec|phpunit|\
        ctest|tox|nox|eslint|xo|mypy|pyright|ruff|flake8|pylint|tsc|biome|coverage report|coverage run|\
        prettier --check|black --check|pre-commit run|playwright test";
    /// What runs a task of a project by its name.
    LAUNCHERS =
        "npm yarn pnpm bun deno turbo nx lerna make just cargo go $(GO) mvn gradle gradlew rake dotnet";
    /// Names of tasks that check.
    TASKS = "test lint check coverage cover ci typecheck verify vet";
    /// What is in lines that name something and run nothing.
    NAMING_LINES =
        "install|pip |uses:|name:|id:|cache:|needs:|apt-get|description|image:|\"version\"|key:|path:";
    /// What is in the names of checks that look at code without running it.
    LOOKING = "clippy lint vet mypy pyright ruff flake8 tsc biome fmt format prettier static type audit";
    /// Flags by which a check succeeds whatever it found. What a shell makes of a failure is in [`crate::shell`].
    FORGIVING =
        "--passWithNoTests|--pass-with-no-tests|--exit-zero|--suppress-no-test-exit-code|\
        --issues-exit-code 0|--issues-exit-code=0|--no-fail|-Dmaven.test.failure.ignore";
    /// Flags that leave tests, files or rules out of a command.
    NARROWS =
        "-run -short -exec -list --list --listTests --only --test-only --onlyChanged --collect-only --co \
        --dry-run --no-run --no-cov --no-verify --no-default-features --lib --bins --doc --lf \
        --last-failed --assert --forceExit";
    /// What is in the names of other flags that leave something out.
    NARROWING = "skip ignore exclude deselect grep pattern filter update changed invert";
    /// Flags that make a check strict; losing one is a loss.
    STRICT =
        "-D warnings|-D|-Werror|-W error|--strict|--cov-fail-under|--fail-under|--fail-under-lines|--cov|\
        -cover|-coverprofile|--coverage|--max-warnings|-race|--check-coverage|-e";
    /// Commands that do nothing and succeed.
    IDLE_COMMANDS = "true|echo|:|exit 0|/bin/true|printf|skip|sleep|python -c|date";
    /// How the names of settings begin whose lists leave something out.
    LEAVING_OUT =
        "omit exclude extend-exclude ignore extend-ignore collect_ignore disable grep testNamePattern \
        deselect skip filterwarnings";
    /// Settings that say what is looked at; a shorter or other list is a loss.
    LOOKING_AT = "include testpaths spec select collectCoverageFrom on files branches paths needs";
    /// Settings that say by a pattern what is a test.
    TEST_PATTERNS = "python_files python_functions python_classes testMatch testRegex";
    /// Switches that are better on, by their whole name.
    SWITCHES_ON = "check-coverage test doctest autotests harness error lint coverage collectcoverage xfail_strict";
    /// How the names of other switches begin that are better on.
    STRICT_STEMS = "strict forbid fail disallow warn noimplicit nounused nounchecked check";
    /// Switches that are better off, or not there.
    SWITCHES_OFF =
        "passWithNoTests dry-run dryRun ignore_errors skipTests dangerouslyIgnoreUnhandledErrors allowOnly \
        skipLibCheck";
    /// Numbers that must not fall.
    FLOORS = "fail-under fail_under threshold branches functions lines statements coverage target";
    /// Numbers that must not rise by much: waiting longer, trying again, overlooking more.
    CEILINGS = "timeout retries retry reruns max-warnings maxfail period";
    /// Parts of paths that hold nothing a person wrote.
    NEUTRAL =
        "node_modules build dist _generated generated vendor venv target .git __pycache__ migrations \
        third_party coverage out __main__ site-packages tmp docs examples __init__";
    /// Everything there is, in the words of the runners.
    ALL_TARGETS = "./... ... . ./ tests tests/ test test/ spec spec/ discover src src/ all";
    /// Flags that are followed by a value.
    FLAGS_WITH_VALUE =
        "-timeout --timeout -count -coverprofile -covermode -tags --features --reporter --config --cov \
        --target -run --test-threads --fail-under-lines";
    /// What the names of targets and scripts have in them that run tests.
    TEST_TARGETS = "test spec check cover verify gate prepush e2e ci all validate";
    /// Names for less than all.
    LESSER_TARGETS =
        "safe stable green fast quick smoke subset minimal basic lite partial sanity mini soft passing \
        reliable trusted core happy tiny short";
    /// Keys of continuous integration whose values are commands.
    COMMAND_KEYS = "run script before_script command commands cmd cmds bash install";
    /// Keys that say that a failure does not count.
    IGNORING_KEYS = "continue-on-error allow_failure ignore_error soft_fail continueOnError";
    /// Commands that prepare and tidy up: nobody calls them a check.
    HOUSEKEEPING =
        "|cd|echo|printf|rm|mkdir|cp|mv|touch|cat|export|set|trap|exit|true|:|sleep|source|.|local|return|\
        shift|[|test|[[|((|break|continue|kill|wait|tee|date|unset|read|chmod|ls|pwd|shopt|umask|false|\
        grep";
}

/// Variables that take the strength out of checks, with the values that leave it.
pub(crate) const VARIABLES: &[(&str, &[&str])] = &[
    ("PYTHONOPTIMIZE", &["", "0"]),
    ("PROPTEST_CASES", &[""]),
    ("INSTA_UPDATE", &["", "no", "auto"]),
    ("UPDATE_SNAPSHOTS", &["", "0", "false"]),
    ("UPDATE_GOLDEN", &["", "0", "false"]),
    ("SKIP_TESTS", &["", "0", "false"]),
    ("PYTEST_ADDOPTS", &[""]),
    ("GOFLAGS", &["", "-mod=mod", "-mod=vendor", "-mod=readonly"]),
];

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_is_cut_at_spaces_or_at_bars() {
        assert_eq!(list!("a bc d"), &["a", "bc", "d"]);
        assert_eq!(list!("a b||c"), &["a b", "", "c"]);
    }
}
