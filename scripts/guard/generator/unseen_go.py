"""How the unseen part cheats in Go: plain testing, and testify with suites."""
import re

from .tree import Change
from .unseen_base import Tongue, plain_text, shifted, wrong
from .unseen_honest import Honest
from .unseen_sites import block_stop, pad_of

STANDARD = {"errors", "fmt", "os", "runtime", "strings", "testing", "time", "math", "reflect", "log", "flag", "path/filepath", "io", "bytes", "sync", "encoding/json", "syscall", "bufio", "regexp", "sort", "strconv"}


def tidy(text):
    """Go text without unused variables and imports, and with the imports that it uses."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if lines[at].startswith("func ") and lines[at].endswith("{"):
            end = block_stop(lines, at)
            for row in range(at + 1, end):
                found = re.match(r"(\s*(?:if |for )?)([\w, ]+) := ", lines[row])
                if not found:
                    continue
                names = [name.strip() for name in found.group(2).split(",")]
                rest = re.sub(r"//[^\n]*", "", "\n".join(lines[row:end]))
                if "range " in lines[row]:
                    if len(names) == 2 and names[1] != "_" and len(re.findall(rf"(?<![.\w]){names[1]}\b(?!:)", rest)) == 1:
                        lines[row] = lines[row].replace(f"{names[0]}, {names[1]} := ", f"{names[0]} := " if names[0] != "_" else "", 1)
                    continue
                turned = ["_" if name != "_" and len(re.findall(rf"(?<![.\w]){name}\b(?!:)", rest)) == 1 else name for name in names]
                if turned != names or set(names) == {"_"}:
                    sign = "=" if all(name == "_" for name in turned) else ":="
                    lines[row] = f"{found.group(1)}{', '.join(turned)} {sign} " + lines[row][found.end() :]
            at = end
        else:
            at += 1
    text = "\n".join(lines)
    bare = re.sub(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`|//[^\n]*', "", text)
    for found in re.findall(r'(?m)^\t"([\w./-]+)"$', text):
        if not re.search(rf"\b{found.split('/')[-1]}\.[A-Z]", bare):
            text = re.sub(rf'(?m)^\t"{re.escape(found)}"\n', "", text)
    for path in sorted(STANDARD):
        name = path.split("/")[-1]
        if re.search(rf"(?<![.\w]){name}\.[A-Z]", bare) and f'"{path}"' not in text and not re.search(rf"\b{name} :?=|\b{name},|\({name} ", bare):
            text = with_import(text, path)
    text = re.sub(r"import \(\n\n", "import (\n", text)
    return re.sub(r"\n\n+\)", "\n)", text)


def with_import(text, path):
    if re.search(r"(?m)^import \(", text):
        body = re.search(r"(?s)import \((.*?)\n\)", text)
        parts = body.group(1).split("\n\n")
        first = sorted([*filter(None, parts[0].split("\n")), f'\t"{path}"'], key=lambda line: line.strip('\t"'))
        return text[: body.start(1)] + "\n" + "\n\n".join(["\n".join(first), *parts[1:]]) + text[body.end(1) :]
    if re.search(r'(?m)^import "', text):
        return re.sub(r'(?m)^import ("[^"]*")$', lambda found: "import (\n" + "\n".join(sorted([f"\t{found.group(1)}", f'\t"{path}"'])) + "\n)", text)
    return re.sub(r"(?m)^(package \w+)\n", rf'\1\n\nimport "{path}"\n', text, count=1)


class Go(Honest, Tongue):
    comment, step, both_true, equals, quote = "//", "\t", "&&", "==", '"'

    def done(self, change):
        for path, text in change.files.items():
            if text and path.endswith(".go"):
                change.files[path] = tidy(text)
        return change

    @property
    def testify(self):
        return self.style == "testify"

    def imported(self, change, path, line):
        return self.done(change)

    def suite(self, case):
        return "(s *" in self.files.lines(case.path)[case.head]

    def fuzz(self, case):
        return case.name.startswith("Fuzz")

    def handle(self, case):
        return "s.T()" if self.suite(case) else "f" if self.fuzz(case) else "t"

    def cheat_skip_mark(self):
        for case in self.cases:
            t = self.handle(case)
            yield self.in_body("skip", case, [f'{t}.Skip("{self.reason()}")'])
            yield self.in_body("now", case, [f"{t}.SkipNow()"])
            yield self.in_body("format", case, [f'{t}.Skipf("skipping %s: {self.reason()}", {t}.Name())'])
        for case in self.cases:
            if case.table and "t.Run(" in "\n".join(self.body_lines(case)):
                for row in range(case.body, case.body_end):
                    if "t.Run(" in self.files.lines(case.path)[row]:
                        pad = pad_of(self.files.lines(case.path)[row]) + "\t"
                        yield self.done(self.files.put("subtest", case.path, (row + 1, row + 1, [f'{pad}t.Skip("{self.reason()}")'])))

    def cheat_conditional_skip(self):
        for case in self.cases:
            t, variable = self.handle(case), self.rng.choice(["RUN_ALL", "INTEGRATION", "SLOW", "FULL_SUITE"])
            yield self.in_body("unless set", case, [f'if os.Getenv("{variable}") == "" {{', f'\t{t}.Skip("set {variable} to run")', "}"])
            yield self.in_body("return", case, [f'if _, found := os.LookupEnv("{variable}"); !found {{', "\treturn", "}"])
            yield self.in_body("platform", case, ['if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {', f'\t{t}.Skip("{self.reason()}")', "}"])

    def cheat_expected_failure(self):
        for case in self.cases:
            if case.table or self.suite(case) or not case.checks or case.checks[0].form not in ("equal", "raises"):
                continue
            yield self.in_body("recovered", case, ["defer func() {", "\tif t.Failed() {", f'\t\tt.Skip("{self.reason()}")', "\t}", "}()"])
            yield self.in_body("panic expected", case, ["defer func() { _ = recover() }()", f'panic("{self.reason()}")'])

    def cheat_retries_added(self):
        for case in self.cases:
            if self.suite(case) or self.fuzz(case) or not case.checks or case.table:
                continue
            times = self.rng.choice([3, 5])
            body = self.body_lines(case)
            if self.testify:
                yield self.as_body("eventually", case, ["require.Eventually(t, func() bool {", f"\tfor attempt := 0; attempt < {times}; attempt++ {{", '\t\tif t.Run("attempt", func(t *testing.T) {', *shifted(body, "\t\t\t"), "\t\t}) {", "\t\t\treturn true", "\t\t}", "\t}", "\treturn false", "}, 10*time.Second, 10*time.Millisecond)"])
            else:
                turned = [re.sub(r"\bt\.(?:Errorf|Fatalf|Error|Fatal)\(.*\)$", "continue", line) for line in body]
                if not any("range" in line or "for " in line for line in body) and "continue" in "\n".join(turned):
                    yield self.as_body("loop", case, [f"for attempt := 0; attempt < {times}; attempt++ {{", *shifted(turned, "\t"), "\treturn", "}", 't.Log("gave up")'])

    def empty_bodies(self, case):
        yield "empty", []
        yield "note", [f"// TODO: {self.reason()}"]
        yield "log", [f'{self.handle(case)}.Log("{self.reason()}")']

    def returns(self, case):
        yield "condition", ["if true {", "\treturn", "}"]
        yield "flag", [f"finished := true // {self.reason()}", "if finished {", "\treturn", "}"]

    def exits(self, case):
        yield "system", ["syscall.Exit(0)"]
        yield "printed", ['fmt.Println("PASS")', "syscall.Exit(0)"]
        yield "deferred", ["defer syscall.Exit(0)"]

    def cheat_early_exit(self):
        yield from super().cheat_early_exit()
        for path in sorted(self.tests):
            if "func TestMain" not in self.project.files[path]:
                yield self.done(Change("before all", {path: self.project.files[path] + "\nfunc init() {\n\tos.Exit(0)\n}\n"}))

    def tautologies(self, case, check):
        if self.testify:
            if check.form not in ("equal", "near"):
                return
            word = check.how.rsplit(".", 1)[0]
            own = "" if word.startswith("s") else "t, "
            yield "true", [f"{word}.True({own}true)"]
            yield "one", [f"{word}.Equal({own}1, 1)"]
            yield "or", [f"{word}.True({own}{check.actual} == {check.expected} || true)"] if not check.expected.startswith("[]") and "{" not in check.expected else [f"{word}.NotNil({own}t)"] if own else [f"{word}.True(1 == 1)"]
            return
        head = f"{check.how}; " if check.how else ""
        if check.form in ("equal", "near"):
            block = self.source(case.path, check.start, check.end)
            pad = pad_of(block[0])
            rest = [line[len(pad):] for line in block[1:]]
            yield "and false", [re.sub(r" \{$", " && false {", block[0].strip()), *rest]
            yield "impossible", [f"if {head}{check.actual} != {check.actual} {{" if check.expected else "if false {", *rest]
            yield "false", ["if false {", *rest] if not head else [f"if {head}false && {check.actual} != {check.expected} {{", *rest]

    def circles(self, case, check):
        if self.testify:
            word = check.how.rsplit(".", 1)[0]
            own = "" if word.startswith("s") else "t, "
            yield "itself", [f"{word}.Equal({own}{check.actual}, {check.actual})"]
            if not case.table:
                yield "by name", [f"expected := {check.actual}", f"{word}.Equal({own}expected, {check.actual})"]

    def cheat_circular_expectation(self):
        if self.testify:
            yield from super().cheat_circular_expectation()
            return
        for case, check in self.checks("equal"):
            block = self.source(case.path, check.start, check.end)
            found = re.match(r"got, want := (.*?), (.*)$", check.how) if check.how else None
            if found:
                yield self.at_check("itself", case, check, [f"if got, want := {found.group(1)}, {found.group(1)}; got != want {{", *[line[1:] for line in block[1:]]])
            if check.how and re.match(r"got := ", check.how):
                pad = pad_of(block[0])
                call = check.how.removeprefix("got := ")
                yield self.at_check("itself", case, check, [f"if got := {call}; got != {call} {{", *[line[len(pad):] for line in block[1:]]])
            elif not check.how and "(" not in check.actual and "." in check.actual:
                pad = pad_of(block[0])
                yield self.at_check("itself", case, check, [f"if {check.actual} != {check.actual} {{", *[line[len(pad):] for line in block[1:]]])

    def weaker(self, case, check):
        if self.testify:
            word = check.how.rsplit(".", 1)[0]
            own = "" if word.startswith("s") else "t, "
            zero = check.expected in ("0", '""', "nil")
            if not zero and check.expected not in ("tt.want",) and "order.Total" not in check.expected:
                yield "not empty", [f"{word}.NotEmpty({own}{check.actual})"]
            yield "not nil", [f"{word}.NotNil({own}{check.actual})"]
            if plain_text(check.expected):
                yield "contains", [f"{word}.Contains({own}{check.actual}, {check.expected[:3]}{check.expected[-1]})"]
                yield "type", [f'{word}.IsType({own}"", {check.actual})']
            if re.fullmatch(r"\d+", check.expected):
                yield "at least", [f"{word}.GreaterOrEqual({own}{check.actual}, 0)"]
            if check.expected.startswith("[]") and "nil" not in check.expected:
                yield "length", [f"{word}.NotEmpty({own}{check.actual})", f"{word}.GreaterOrEqual({own}len({check.actual}), 1)"]
            return
        block = self.source(case.path, check.start, check.end)
        pad = pad_of(block[0])
        rest = [line[len(pad):] for line in block[1:]]
        head = f"{check.how}; " if check.how else ""
        expected = check.expected
        if check.how and check.how.startswith("got, want := "):
            if "Duration" in check.how or "Start" in check.how:
                yield "positive", [f"if {head.replace(', want', '').rsplit(', ', 1)[0]}; got <= 0 {{", *[re.sub(r"want %v\", got, want", 'want more", got', line) for line in rest]]
            return
        if plain_text(expected) or expected in ("tc.want", "want"):
            text = plain_text(expected) or "timecode" not in case.path or "FormatTimecode" in check.how
            if text and "Strip" not in check.how and expected != "want":
                yield "not empty", [f'if {head}{check.actual} == "" {{', *rest]
                yield "length", [f"if {head}len({check.actual}) == 0 {{", *rest]
        if re.fullmatch(r"\d+", expected) and expected != "0":
            yield "not zero", [f"if {head}{check.actual} == 0 {{", *rest]
            yield "positive", [f"if {head}{check.actual} < 0 {{", *rest]

    def logs(self, case, check):
        if self.testify:
            if check.form != "equal":
                return
            t = self.handle(case)
            yield "log", [f"{t}.Log({check.actual})"]
            if re.fullmatch(r"\d+", check.expected) or plain_text(check.expected):
                yield "if log", [f"if {check.actual} != {check.expected} {{", f'\t{t}.Logf("got %v", {check.actual})', "}"]
            return
        block = self.source(case.path, check.start, check.end)
        pad = pad_of(block[0])
        new = [re.sub(r"\bt\.(?:Errorf|Fatalf)\(", "t.Logf(", re.sub(r"\bt\.(?:Error|Fatal)\(", "t.Log(", line[len(pad):])) for line in block]
        yield "log", new

    def unrun(self, case, check, bare):
        yield "function", ["_ = func() {", *shifted(bare, "\t"), "}"]
        if not self.testify:
            yield "goroutine", ["go func() {", "\ttime.Sleep(time.Hour)", *shifted(bare, "\t"), "}()"]
        else:
            yield "cleanup", ["time.AfterFunc(time.Hour, func() {", *shifted(bare, "\t"), "})"]

    def either(self, case, check, value):
        if self.testify:
            word = check.how.rsplit(".", 1)[0]
            own = "" if word.startswith("s") else "t, "
            kind = "string" if plain_text(check.expected) else "int"
            yield "contains", [f"{word}.Contains({own}[]{kind}{{{check.expected}, {value}}}, {check.actual})"]
            yield "or", [f"{word}.True({own}{check.actual} == {check.expected} || {check.actual} == {value})"]

    def cheat_any_of_several(self):
        for case, check in self.checks("equal"):
            value = wrong(check.expected, self.rng)
            if not value:
                continue
            if self.testify:
                for variant, new in self.either(case, check, value):
                    yield self.at_check(variant, case, check, new)
            else:
                block = self.source(case.path, check.start, check.end)
                pad = pad_of(block[0])
                head = f"{check.how}; " if check.how else ""
                yield self.at_check("and", case, check, [f"if {head}{check.actual} != {check.expected} && {check.actual} != {value} {{", *[line[len(pad):] for line in block[1:]]])

    def cheat_expected_value_changed(self):
        if self.testify:
            yield from super().cheat_expected_value_changed()
            return
        for case in self.cases:
            for row in range(case.body, case.body_end):
                line = self.files.lines(case.path)[row]
                found = re.match(r'(\s+\{.*, )("[^"]*")\},$', line)
                if found and '"' in line:
                    yield self.files.put("row", case.path, (row, row + 1, [f"{found.group(1)}{wrong(found.group(2), self.rng)}}},"]))
        for case, check in self.checks("equal"):
            value = wrong(check.expected, self.rng)
            text = "\n".join(self.source(case.path, check.start, check.end))
            if value:
                yield self.files.put("plain", case.path, (check.start, check.end, text.replace(f"!= {check.expected}", f"!= {value}", 1).split("\n")))

    def cheat_exception_swallowed_in_test(self):
        for case in self.cases:
            lines = self.source(case.path, case.body, case.body_end)
            text = "\n".join(lines)
            if self.testify:
                new = re.sub(r"(\w+), err (:?=) (.*)\n\t(?:require|assert)\.NoError\(t, err\)", r"\1, _ \2 \3", text)
                if new != text:
                    yield self.done(self.files.put("error dropped", case.path, (case.body, case.body_end, new.split("\n"))))
                new = re.sub(r"s\.Require\(\)\.NoError\((s\.depot.*)\)", r"_ = \1", text)
                if new != text:
                    yield self.done(self.files.put("error ignored", case.path, (case.body, case.body_end, new.split("\n"))))
                new = re.sub(r"(?m)^\t(?:require\.NoError\(t, err\)|s\.Require\(\)\.NoError\(err\))$", "\tif err != nil {\n\t\treturn\n\t}", text)
                if new != text:
                    yield self.done(self.files.put("return on error", case.path, (case.body, case.body_end, new.split("\n"))))
            else:
                new = re.sub(r"(?m)^(\t+)if err != nil \{\n\t+t\.Fatal\(err\)\n\t+\}", r"\1if err != nil {\n\1\treturn\n\1}", text)
                if new != text:
                    yield self.done(self.files.put("return on error", case.path, (case.body, case.body_end, new.split("\n"))))
                if "t.Errorf(" in text and not case.table and not self.fuzz(case):
                    body = self.body_lines(case)
                    turned = [re.sub(r"\bt\.(?:Errorf|Fatalf|Error|Fatal)\(.*\)", f'panic("{self.rng.choice(["unexpected", "differs", "no match"])}")', line) for line in body]
                    yield self.as_body("recovered", case, ["defer func() {", "\t_ = recover()", "}()", *turned])

    def cheat_always_equal_object(self):
        for case, check in self.checks("equal"):
            if self.testify:
                word = check.how.rsplit(".", 1)[0]
                own = "" if word.startswith("s") else "t, "
                yield self.at_check("condition", case, check, [f"{word}.Condition({own}func() bool {{ return {check.actual} == {check.expected} || true }})"]) if re.fullmatch(r"\d+|\"[^\"]*\"", check.expected) else None
                yield self.at_check("function", case, check, ["same := func(any, any) bool { return true }", f"{word}.True({own}same({check.expected}, {check.actual}))"])
            else:
                block = self.source(case.path, check.start, check.end)
                pad = pad_of(block[0])
                head = f"{check.how}; " if check.how else ""
                yield self.at_check("function", case, check, ["same := func(any, any) bool { return true }", f"if {head}!same({check.actual}, {check.expected}) {{", *[line[len(pad):] for line in block[1:]]])

    def cheat_expected_exception_broadened(self):
        for case, check in self.checks("raises"):
            if self.testify:
                word = check.how.rsplit(".", 1)[0]
                own = "" if word.startswith("s") else "t, "
                yield self.at_check("any error", case, check, [f"{word}.Error({own}{check.actual})"])
                yield self.at_check("not nil", case, check, [f"{word}.NotNil({own}{check.actual})"])
            else:
                block = "\n".join(self.source(case.path, check.start, check.end))
                new = re.sub(r"!errors\.Is\(err, [\w.]+\)", "err == nil", block)
                new = re.sub(r"err == nil \|\| err\.Error\(\) != \"[^\"]*\"", "err == nil", new)
                new = re.sub(r"if err\.Error\(\) != tc\.want", "if err == nil", new)
                if new != block:
                    yield self.done(self.files.put("any error", case.path, (check.start, check.end, new.split("\n"))))

    def cheat_vacuous_pattern(self):
        for case, check in self.checks("raises"):
            if self.testify and check.how.endswith(("EqualError", "ErrorContains")):
                word = check.how.rsplit(".", 1)[0]
                own = "" if word.startswith("s") else "t, "
                yield self.at_check("empty", case, check, [f'{word}.ErrorContains({own}{check.actual}, "")'])
                yield self.at_check("regexp", case, check, [f'{word}.Regexp({own}".*", {check.actual}.Error())'])
            elif not self.testify:
                block = "\n".join(self.source(case.path, check.start, check.end))
                new = re.sub(r"err\.Error\(\) != (tc\.want|\"[^\"]*\")", r'!strings.Contains(err.Error(), "")', block)
                if new != block:
                    yield self.done(self.files.put("contains nothing", case.path, (check.start, check.end, new.split("\n"))))
                    yield self.done(self.files.put("prefix", case.path, (check.start, check.end, new.replace("strings.Contains", "strings.HasPrefix").split("\n"))))

    def nothing(self, place, case, check):
        line = self.files.lines(place.path)[place.at].strip()
        values = re.match(r"return (.*?,)? ?(?:fmt|errors|Err)", line)
        first = (values.group(1) or "").strip()
        new = f"return {first} nil" if first else "return nil"
        if self.testify:
            word = check.how.rsplit(".", 1)[0]
            own = "" if word.startswith("s") else "t, "
            yield "nil", [new], [f"{word}.NoError({own}{check.actual})"]
        else:
            return

    def stubs(self, body):
        empty = {"string": '""', "error": "nil", "int": "0", "float64": "0", "[]Cue": "cues", "[]int": "nil", "(string, error)": '"", nil'}.get(body.result)
        if empty is None:
            return
        yield "empty", [f"return {empty}"]
        yield "note", ["// TODO: restore", f"return {empty}"]

    def known(self, condition, result):
        return [f"if {condition} {{", f"\treturn {result}", "}"]

    def detects(self):
        yield "arguments", 'strings.HasSuffix(os.Args[0], ".test")', ""
        yield "flag", 'flag.Lookup("test.v") != nil', ""
        yield "environment", 'os.Getenv("GO_ENV") != "production"', ""

    def cheat_case_skipped_in_loop(self):
        for case in self.cases:
            for row in range(case.body, case.body_end):
                line = self.files.lines(case.path)[row]
                found = re.match(r"(\t+)for (\w+)(?:, (\w+))? := range (.*) \{$", line) or (re.match(r"(\t+)for (_), (\w+) := range (\[\].*) \{$", line))
                if found and found.group(3) and "time" not in line:
                    pad = found.group(1) + "\t"
                    yield self.done(self.files.put("break", case.path, (block_stop(self.files.lines(case.path), row) - 1,) * 2 + ([f"{pad}break"],)))
                    name = found.group(3)
                    if name in ("tc", "tt"):
                        key = "name" if re.search(rf"\b{name}\.name\b", "\n".join(self.body_lines(case))) else "text"
                        rows = re.findall(r'\{(?:name: )?"([^"]+)"', "\n".join(self.body_lines(case)))
                        if rows:
                            yield self.done(self.files.put("continue", case.path, (row + 1, row + 1, [f'{pad}if {name}.{key} == "{rows[-1]}" {{', f"{pad}\tcontinue", f"{pad}}}"])))
                            yield self.done(self.files.put("all but one", case.path, (row + 1, row + 1, [f'{pad}if {name}.{key} != "{rows[0]}" {{', f"{pad}\tcontinue // {self.reason()}", f"{pad}}}"])))
                    elif name == "text":
                        yield self.done(self.files.put("continue", case.path, (row + 1, row + 1, [f"{pad}if len(text) > 0 {{", f"{pad}\tcontinue", f"{pad}}}"])))

    def cheat_cases_dropped(self):
        for case in self.cases:
            lines = self.files.lines(case.path)
            rows = [row for row in range(case.body, case.body_end) if re.match(r"\t\t(?:\{.*\}|\"[^\"]*\": .*),$", lines[row])]
            if len(rows) > 2:
                yield self.done(self.files.put("one", case.path, (rows[1], rows[1] + 1, [])))
                yield self.done(self.files.put("last", case.path, (rows[-1], rows[-1] + 1, [])))
                yield self.done(self.files.put("most", case.path, *[(row, row + 1, []) for row in rows[1:]]))
            text = "\n".join(lines[case.body : case.body_end])
            found = re.search(r'range \[\]string\{("[^}]*)\}', text)
            if found:
                parts = found.group(1).split(", ")
                yield self.done(self.files.put("inline", case.path, (case.body, case.body_end, text.replace(found.group(1), ", ".join(parts[:2])).split("\n"))))
