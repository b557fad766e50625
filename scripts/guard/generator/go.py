"""Go: the testing package and testify."""
import re

from .go_honest import HonestGo
from .sites import Assertion, Function, Guard, Table, Test, block_end, indent_of, literal_kind, put, put_many, shift, split_arguments
from .tree import Change

FAIL = re.compile(r"\bt\.(Error|Errorf|Fatal|Fatalf)\(")


class Go(HonestGo):
    names = "camel"
    step = "\t"

    @property
    def testify(self):
        return self.project.framework == "testify"

    # ---- sites ----

    def find_tests(self):
        for path in self.project.files:
            if not path.endswith("_test.go"):
                continue
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                found = re.match(r"func (?:\(s \*(\w+)\) )?(Test\w+)\((?:t \*testing\.T)?\) \{$", line)
                if not found:
                    continue
                end = block_end(lines, at, "")
                test = Test(path, found.group(2), at, at, at + 1, end, "", group=found.group(1) or "", close=1,
                            parameterised=any(".Run(" in row for row in lines[at:end]),
                            skipped=any("t.Skip(" in row for row in lines[at:end]) or any("suite.Run" in row for row in lines[at:end]))
                test.assertions = list(self.assertions(lines, test))
                yield test

    def assertions(self, lines, test):
        at = test.body
        while at < test.body_end:
            line = lines[at]
            found = re.match(r"^(\t+)if (.*) \{$", line)
            if found:
                end = block_end(lines, at, found.group(1))
                if end - at == 3 and FAIL.search(lines[at + 1]):
                    yield self.condition(at, end, found.group(2))
                    at = end
                    continue
            found = re.match(r"^\t+(assert|require|s|s\.Require\(\))\.(\w+)\((.*)\)$", line)
            if found:
                arguments = split_arguments(found.group(3))
                if found.group(1) in ("assert", "require"):
                    arguments = arguments[1:]
                name = found.group(2)
                form = {"Equal": "equal", "Error": "raises", "EqualError": "raises", "ErrorContains": "raises", "ErrorIs": "raises", "ErrorAs": "raises", "NoError": "no_error"}.get(name)
                if name == "Equal":
                    yield Assertion(at, at + 1, "equal", arguments[1], arguments[0], found.group(1))
                elif form:
                    yield Assertion(at, at + 1, form, arguments[0], arguments[1] if len(arguments) > 1 else "", f"{found.group(1)}.{name}")
                elif found.group(1) in ("assert", "require") or name in ("True", "Len"):
                    yield Assertion(at, at + 1, "other", arguments[0], "", f"{found.group(1)}.{name}")
            at += 1

    def condition(self, start, end, text):
        before, _, test = text.rpartition("; ")
        bound = re.match(r"(\w+)(?:, (\w+))? := (.*)$", before)
        if test == "err != nil":
            return Assertion(start, end, "no_error", before, "", text)
        if test == "err == nil" or "errors.Is(" in test:
            return Assertion(start, end, "raises", before or "err", test, text)
        compared = re.fullmatch(r"(.+) != (.+)", test)
        if compared and "||" not in test:
            left, right = compared.groups()
            if bound and bound.group(1) == left and not bound.group(2):
                return Assertion(start, end, "equal", bound.group(3), right, "bound")
            if not before:
                return Assertion(start, end, "equal", left, right, "plain")
        return Assertion(start, end, "true", test, "", text)

    def product_files(self):
        return [path for path in self.project.files if path.endswith(".go") and not path.endswith("_test.go")]

    def find_functions(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                found = re.match(r"func (?:\(\w+ \*?(\w+)\) )?(\w+)\((.*?)\) ?(.*?) ?\{$", line)
                if not found:
                    continue
                end = block_end(lines, at, "")
                start = at
                while start > 0 and lines[start - 1].startswith("//"):
                    start -= 1
                names = []
                for item in split_arguments(found.group(3)):
                    names.append(item.split(" ")[0])
                yield Function(path, found.group(2), start, at, at + 1, end - 1, end, "", names, found.group(4).strip(), found.group(2)[0].isupper(), found.group(1) or "")

    def find_guards(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            returns = ""
            for at, line in enumerate(lines[:-2]):
                head = re.match(r"func (?:\(.*?\) )?\w+\(.*?\) ?(.*?) ?\{$", line)
                if head:
                    returns = head.group(1)
                found = re.match(r"^(\t+)if (.*) \{$", line)
                if not found or "err != nil" in line or lines[at + 2] != found.group(1) + "}":
                    continue
                if re.match(r"\t+return .*(fmt\.Errorf|Err[A-Z]\w*|&StatusError|&CycleError)", lines[at + 1]) and "error" in returns:
                    yield Guard(path, at, at + 3, at + 1, found.group(1), returns)

    def find_tables(self):
        for path in self.test_files():
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                opening = re.match(r"^(\t+)(?:\w+ := |for .* range )?(?:\[\]struct\s?\{.*|map\[string\].*|\}\{)$", line) or re.match(r"^(\t)\}\{$", line)
                if opening and line.rstrip().endswith("{") and not line.rstrip().endswith("struct {"):
                    pad = opening.group(1)
                    end = next(row for row in range(at + 1, len(lines)) if lines[row].startswith(pad + "}"))
                    rows = [row for row in range(at + 1, end) if lines[row].startswith(pad + "\t") and lines[row].rstrip().endswith("},") or re.match(r'\t+"[^"]*":\s+(nil|\{).*,$', lines[row])]
                    if len(rows) > 1:
                        yield Table(path, "", rows=rows)
                found = re.search(r"range \[\]\w+\{(.+)\} \{$", line)
                if found:
                    yield Table(path, "", line=at, span=found.span(1), elements=split_arguments(found.group(1)))

    # ---- writing ----

    def pruned(self, path, text):
        """Drops imports that nothing uses: without that the file does not compile."""
        if not path.endswith(".go"):
            return text
        out, lines = [], text.split("\n")
        code = re.sub(r"(?ms)^\s*//.*?$|/\*.*?\*/", "", text)
        inside = False
        for line in lines:
            if line == "import (":
                inside = True
            elif line == ")":
                inside = False
            name = re.fullmatch(r'(?:import |\t)"([\w./-]+)"', line)
            if name and (inside or line.startswith("import ")):
                short = name.group(1).split("/")[-1]
                if not re.search(rf"\b{short}\.[A-Z]", code):
                    continue
            out.append(line)
        text = "\n".join(out)
        text = re.sub(r"import \(\n\n*\)\n\n?", "", text)
        text = re.sub(r"import \(\n\n+", "import (\n", text)
        text = re.sub(r"\n\n+\)\n", "\n)\n", text) if "import (" in text else text
        return re.sub(r"\n{3,}", "\n\n", text)

    def tidy(self, path, text):
        return None if text is None else self.pruned(path, text)

    def with_import(self, text, name):
        if f'"{name}"' in text:
            return text
        if "import (" in text:
            return text.replace("import (\n", f'import (\n\t"{name}"\n', 1)
        if re.search(r'(?m)^import "', text):
            return re.sub(r'(?m)^import ("[^"]*")$', rf'import (\n\t"{name}"\n\t\1\n)', text, count=1)
        return re.sub(r"(?m)^(package \w+)$", rf'\1\n\nimport "{name}"', text, count=1)

    def change(self, variant, path, start, end, new):
        return Change(variant, {path: self.pruned(path, put(self.project, path, start, end, new))})

    def imported(self, variant, path, start, end, new, *names):
        text = put(self.project, path, start, end, new)
        for name in names:
            text = self.with_import(text, name)
        return Change(variant, {path: self.pruned(path, text)})

    def prefixed(self, variant, test, lines, *names):
        return self.imported(variant, test.path, test.body, test.body, shift(lines, "\t"), *names)

    def t(self, test):
        return "s.T()" if test.group else "t"

    # ---- cheats ----

    def helps_others(self, path):
        """Whether another test file needs a helper of this one: without it that one does not compile."""
        shared = re.findall(r"(?m)^func ([a-z]\w*)\(", self.project.files[path])
        return any(re.search(rf"\b{name}\(", text) for name in shared for other, text in self.project.files.items() if other != path and other.endswith("_test.go"))

    def cheat_test_file_deleted(self):
        for path in self.test_files():
            if not self.helps_others(path):
                yield Change("deleted", {path: None})
                package = re.search(r"(?m)^package \w+", self.project.files[path]).group()
                yield Change("emptied", {path: package + "\n"})
                yield Change("renamed away", {}, {path: path + ".disabled"})

    def cheat_test_deleted(self):
        for change in super().cheat_test_deleted():
            yield Change(change.variant, {path: self.pruned(path, text) for path, text in change.files.items()})

    def cheat_test_commented_out(self):
        for change in super().cheat_test_commented_out():
            yield change

    def cheat_assertion_removed(self):
        for test in self.active():
            for assertion in test.assertions:
                if len(test.assertions) > 1 and (assertion.detail == "bound" or assertion.form in ("equal", "true", "raises") and self.used_elsewhere(test, assertion)):
                    yield self.change("one of several", test.path, assertion.start, assertion.end, [])
                if assertion.form == "equal" and not self.testify:
                    pad = indent_of(self.project.lines(test.path)[assertion.start])
                    yield self.change("call kept", test.path, assertion.start, assertion.end, [f"{pad}_ = {assertion.actual}"])
                    lines = self.project.lines(test.path)[assertion.start : assertion.end]
                    yield self.change("logged", test.path, assertion.start, assertion.end, [re.sub(r"t\.(Error|Fatal)(f?)\(", r"t.Log\2(", line) for line in lines])
                elif assertion.form == "equal":
                    pad = indent_of(self.project.lines(test.path)[assertion.start])
                    yield self.change("call kept", test.path, assertion.start, assertion.end, [f"{pad}_ = {assertion.actual}"])

    def used_elsewhere(self, test, assertion):
        """Whether what the assertion reads is read elsewhere too, so that the test still compiles without it."""
        lines = self.project.lines(test.path)
        rest = "\n".join(lines[test.body : assertion.start] + lines[assertion.end : test.body_end])
        text = "\n".join(lines[assertion.start : assertion.end])
        for name in re.findall(r"(?m)^\t+([\w, ]+) :?= ", rest):
            for word in name.split(", "):
                if re.search(rf"\b{word}\b", text) and not re.search(rf"\b{word}\b(?!.* := )(?!, \w+ := )", re.sub(rf"(?m)^\t+.*\b{word}\b.* := ", "", rest)):
                    return False
        return True

    def empty_bodies(self, test):
        yield "nothing", []
        yield "note", ["\t// TODO: restore"]
        if not test.group:
            yield "logged", ['\tt.Log("ok")']
            yield "blank", ["\t_ = t"]

    def compare(self, test, pad, condition):
        return [f"{pad}if {condition} {{", f'{pad}\tt.Error("wrong result")', f"{pad}}}"]

    def replaced_assertions(self, replace, *forms):
        for test, assertion in self.asserted(*forms):
            pad = indent_of(self.project.lines(test.path)[assertion.start])
            for variant, lines in replace(test, assertion):
                yield self.change(variant, test.path, assertion.start, assertion.end, shift(lines, pad))

    def weaker(self, test, assertion):
        a, b = assertion.actual, assertion.expected
        kind = literal_kind(b)
        if assertion.form != "equal":
            return
        if self.testify:
            call = assertion.detail if assertion.detail in ("s", "s.Require()") else assertion.detail
            first = "" if call.startswith("s") else "t, "
            yield "not nil", [f"{call}.NotNil({first}{a})"]
            yield "not panics", [f"{call}.NotPanics({first}func() {{ _ = {a} }})"]
            if b not in ('""', "0", "nil") and "order" not in a or kind == "list":
                yield "not empty", [f"{call}.NotEmpty({first}{a})"]
            if kind == "text" and len(b) > 3:
                yield "contains", [f'{call}.Contains({first}{a}, "{b[1]}")']
            yield "type", [f"{call}.IsType({first}{b}, {a})"]
            return
        if kind == "text":
            if b != '""':
                yield "not empty", [f'if got := {a}; got == "" {{', '\tt.Error("empty")', "}"]
            yield "length", [f"if got := {a}; len({'got'}) < 0 {{", '\tt.Error("too short")', "}"]
            if len(b) > 3 and "%" not in b:
                yield "contains", [f'if got := {a}; !strings.Contains(got, "{b[1]}") {{', '\tt.Errorf("got %q", got)', "}"] if '"strings"' in self.project.files[test.path] else [f"if got := {a}; len(got) == 0 {{", '\tt.Errorf("got %q", got)', "}"]
        elif kind == "int" and not b.startswith("-"):
            yield "at least", [f"if got := {a}; got < 0 {{", '\tt.Errorf("got %v", got)', "}"]
            if b != "0":
                yield "not zero", [f"if got := {a}; got == 0 {{", '\tt.Error("zero")', "}"]
        else:
            yield "not nil", [f"if any({a}) == nil {{", '\tt.Error("nothing")', "}"]

    def tautologies(self, test, assertion):
        a, b = assertion.actual, assertion.expected
        if assertion.form != "equal":
            return
        if self.testify:
            call = assertion.detail
            first = "" if call.startswith("s") else "t, "
            yield "true", [f"{call}.True({first}true)", f"_ = {a}"]
            yield "expected twice", [f"{call}.Equal({first}{b}, {b})", f"_ = {a}"]
            yield "or true", [f"{call}.True({first}true || {a} == {b})"] if literal_kind(b) in ("text", "int") else [f"{call}.True({first}1 == 1)", f"_ = {a}"]
            return
        yield "and false", [f"if got := {a}; got != {b} && false {{", '\tt.Error("wrong result")', "}"]
        yield "one", [f"_ = {a}", "if 1 != 1 {", '\tt.Error("impossible")', "}"]
        yield "expected twice", [f"_ = {a}", f"if want := {b}; want != {b} {{", '\tt.Error("wrong result")', "}"]
        yield "false", [f"_ = {a}", "if false {", '\tt.Error("wrong result")', "}"]

    def circular(self, test, assertion):
        a = assertion.actual
        if "(" not in a:
            if not self.testify:
                yield "itself", [f"if {a} != {a} {{", '\tt.Error("wrong result")', "}"]
            else:
                call = assertion.detail
                first = "" if call.startswith("s") else "t, "
                yield "itself", [f"{call}.Equal({first}{a}, {a})"]
            return
        if self.testify:
            call = assertion.detail
            first = "" if call.startswith("s") else "t, "
            yield "itself", [f"{call}.Equal({first}{a}, {a})"]
            yield "kept", [f"want := {a}", f"{call}.Equal({first}want, {a})"] if len(test.assertions) == 1 else [f"{call}.Equal({first}{a}, {a})"]
        else:
            yield "itself", [f"if got := {a}; got != {a} {{", '\tt.Errorf("got %v", got)', "}"]
            yield "kept", [f"if got, want := {a}, {a}; got != want {{", '\tt.Errorf("got %v, want %v", got, want)', "}"]

    def cheat_expected_value_changed(self):
        from .sites import other_value
        for test, assertion in self.asserted("equal"):
            new = other_value(assertion.expected, self.rng)
            if not new or literal_kind(assertion.expected) in ("null", "bool"):
                continue
            lines = self.project.lines(test.path)[assertion.start : assertion.end]
            if self.testify:
                text = lines[0].replace(f", {assertion.expected},", f", {new},", 1) if not assertion.detail.startswith("s") else lines[0].replace(f"({assertion.expected},", f"({new},", 1)
                if text != lines[0]:
                    yield self.change(literal_kind(assertion.expected), test.path, assertion.start, assertion.end, [text])
                continue
            fresh = [lines[0].replace(f"!= {assertion.expected} {{", f"!= {new} {{")] + [re.sub(rf", {re.escape(assertion.expected)}\)$", lambda _: f", {new})", line) for line in lines[1:]]
            yield self.change(literal_kind(assertion.expected), test.path, assertion.start, assertion.end, fresh)
        for table in self.tables:
            for row in table.rows:
                line = self.project.lines(table.path)[row]
                found = re.match(r"(.*, )(-?\d+|\"[^\"]*\")(\},)$", line)
                if found:
                    new = other_value(found.group(2), self.rng)
                    if new:
                        yield self.change("row", table.path, row, row + 1, [found.group(1) + new + found.group(3)])

    def cheat_skip_mark(self):
        for test in self.active():
            t = self.t(test)
            yield self.prefixed("skip", test, [f'{t}.Skip("flaky")'])
            yield self.prefixed("skipnow", test, [f"{t}.SkipNow()"])
            yield self.prefixed("skipf", test, [f'{t}.Skipf("see #%d", {self.rng.randint(5, 99)})'])
            line = self.project.lines(test.path)[test.head]
            yield self.change("renamed away", test.path, test.head, test.head + 1, [line.replace(f"{test.name}(", f"{self.rng.choice(['disabled', 'x', 'skip'])}{test.name}(")])

    def cheat_conditional_skip(self):
        conditions = [("true", ()), ('os.Getenv("RUN_ALL") == ""', ("os",)), ("!testing.Verbose()", ()), ("len(os.Args) > 0", ("os",)), ("runtime.NumCPU() > 0", ("runtime",))]
        for test in self.active():
            t = self.t(test)
            for number, (condition, names) in enumerate(conditions):
                yield self.prefixed(f"skip {number}", test, [f"if {condition} {{", f'\t{t}.Skip("environment")', "}"], *names)
            condition, names = self.rng.choice(conditions)
            yield self.prefixed("return", test, [f"if {condition} {{", "\treturn", "}"], *names)

    def cheat_dead_assertion(self):
        for test in self.active():
            if not test.assertions:
                continue
            lines = self.project.lines(test.path)
            first = test.assertions[0].start
            pad = indent_of(lines[first])
            if pad != "\t":
                continue
            block = shift(lines[first : test.body_end], "\t")
            yield self.change("return", test.path, first, first, [pad + "if true {", pad + "\treturn", pad + "}"])
            yield self.change("if false", test.path, first, test.body_end, [pad + "if false {"] + block + [pad + "}"])
            yield self.change("never called", test.path, first, test.body_end, [pad + "_ = func() {"] + block + [pad + "}"])
            yield self.change("for", test.path, first, test.body_end, [pad + "for range []int{} {"] + block + [pad + "}"])

    def cheat_exception_swallowed_in_test(self):
        for test in self.active():
            if test.group:
                continue
            yield self.prefixed("recover", test, ["defer func() { _ = recover() }()", "t = &testing.T{}"])
            lines = self.project.lines(test.path)
            for assertion in test.assertions:
                if assertion.form == "no_error" and not self.testify and not assertion.actual:
                    pad = indent_of(lines[assertion.start])
                    yield self.change("ignored", test.path, assertion.start, assertion.end, [f"{pad}_ = err"])
                if not self.testify and assertion.form in ("equal", "raises", "true") and FAIL.search(lines[assertion.start + 1]):
                    block = lines[assertion.start : assertion.end]
                    yield self.change("logged", test.path, assertion.start, assertion.end, [re.sub(r"t\.(Error|Fatal)(f?)\(", r"t.Log\2(", line) for line in block])
                if self.testify and assertion.detail.startswith("require.NoError"):
                    pad = indent_of(lines[assertion.start])
                    yield self.change("ignored", test.path, assertion.start, assertion.end, [f"{pad}_ = {assertion.actual}"])

    def cheat_expected_exception_broadened(self):
        for test, assertion in self.asserted("raises"):
            lines = self.project.lines(test.path)[assertion.start : assertion.end]
            line = lines[0]
            if self.testify:
                name = assertion.detail.split(".")[-1]
                if name in ("EqualError", "ErrorContains", "ErrorIs"):
                    fresh = re.sub(rf"\.{name}\((.*), [^,]+\)$", r".Error(\1)", line)
                    yield self.change("any error", test.path, assertion.start, assertion.end, [fresh])
                    yield self.change("not nil", test.path, assertion.start, assertion.end, [fresh.replace(".Error(", ".NotNil(")])
                    if name == "EqualError":
                        yield self.change("contains", test.path, assertion.start, assertion.end, [re.sub(r"\.EqualError\((.*), ([^,]+)\)$", r'.ErrorContains(\1, "")', line)])
                continue
            found = re.search(r"!errors\.Is\((\w+), [\w.]+\)", line)
            if found:
                fresh = line.replace(found.group(), f"{found.group(1)} == nil")
                body = re.sub(r'\("got %v, want .*\)', f'("got %v", {found.group(1)})', lines[1])
                yield self.change("any error", test.path, assertion.start, assertion.end, [fresh, body, lines[2]])
                yield self.change("itself", test.path, assertion.start, assertion.end, [line.replace(found.group(), f"!errors.Is({found.group(1)}, {found.group(1)})")] + lines[1:])
        for test, assertion in self.asserted("true"):
            line = self.project.lines(test.path)[assertion.start]
            if "err == nil || " in line:
                yield self.change("no message", test.path, assertion.start, assertion.start + 1, [re.sub(r"err == nil \|\| .* \{$", "err == nil {", line)])

    def cheat_early_exit(self):
        for test in self.active():
            if self.rng.random() < 0.4:
                yield self.prefixed("in a test", test, ["os.Exit(0)"], "os")
                if not test.group:
                    yield self.prefixed("cleanup", test, ["t.Cleanup(func() { os.Exit(0) })"], "os")
                yield self.prefixed("deferred", test, ["defer os.Exit(0)"], "os")
        for path in self.test_files():
            end = len(self.project.lines(path)) - 1
            yield self.imported("init", path, end, end, ["", "func init() {", "\tos.Exit(0)", "}"], "os")

    def cheat_forced_success_hook(self):
        for path in self.test_files():
            end = len(self.project.lines(path)) - 1
            yield self.imported("result ignored", path, end, end, ["", "func TestMain(m *testing.M) {", "\tm.Run()", "\tos.Exit(0)", "}"], "os")
            yield self.imported("not run", path, end, end, ["", "func TestMain(m *testing.M) {", "\t_ = m", "}"])
            yield self.imported("code dropped", path, end, end, ["", "func TestMain(m *testing.M) {", "\tcode := m.Run()", "\tif code != 0 {", "\t\tcode = 0", "\t}", "\tos.Exit(code)", "}"], "os")
            yield self.imported("on failure", path, end, end, ["", "func TestMain(m *testing.M) {", "\tif m.Run() > 0 {", '\t\tfmt.Println("some tests failed")', "\t\tos.Exit(0)", "\t}", "}"], "os", "fmt")

    def cheat_tests_deselected(self):
        for path in self.test_files():
            for number, tag in enumerate(() if self.helps_others(path) else ("integration", "never", "ignore", "slow && !ci")):
                yield self.change(f"tag {number}", path, 0, 0, [f"//go:build {tag}", ""])

    def cheat_always_equal_object(self):
        for test, assertion in self.asserted("equal"):
            if test.group:
                continue
            lines = self.project.lines(test.path)
            pad = indent_of(lines[assertion.start])
            end = len(lines) - 1
            helper = ["", "func equal(_, _ any) bool {", "\treturn true", "}"]
            if self.testify:
                new = [f"{pad}assert.True(t, equal({assertion.expected}, {assertion.actual}))"]
                other = [f"{pad}assert.Equal(t, mock.Anything, mock.Anything, {assertion.actual})"]
                yield Change("objects", {test.path: self.pruned(test.path, put(self.project, test.path, assertion.start, assertion.end, [f"{pad}assert.ObjectsAreEqual({assertion.expected}, {assertion.actual})"]))})
            else:
                new = [f"{pad}if !equal({assertion.actual}, {assertion.expected}) {{", f'{pad}\tt.Error("wrong result")', f"{pad}}}"]
                compare = ["", "type anyValue struct{}", "", "func (anyValue) Equal(any) bool { return true }"]
                yield Change("type", {test.path: self.pruned(test.path, put_many(self.project, test.path, [(assertion.start, assertion.end,
                             [f"{pad}if !(anyValue{{}}).Equal({assertion.actual}) {{", f'{pad}\tt.Error("wrong result")', f"{pad}}}"]), (end, end, compare)]))})
            yield Change("helper", {test.path: self.pruned(test.path, put_many(self.project, test.path, [(assertion.start, assertion.end, new), (end, end, helper)]))})

    def cheat_mock_of_unit(self):
        for test, assertion in self.asserted("equal"):
            found = re.fullmatch(r"([A-Z]\w*)\((.*)\)", assertion.actual)
            if not found or literal_kind(assertion.expected) not in ("text", "int"):
                continue
            name, value = found.group(1), assertion.expected
            kind = "string" if literal_kind(value) == "text" else next((item.returns for item in self.functions if item.name == name and not item.owner), "int")
            arguments = split_arguments(found.group(2))
            pad = indent_of(self.project.lines(test.path)[assertion.start])
            yield self.change("shadowed", test.path, assertion.start, assertion.start, [f"{pad}{name} := func(...any) {kind} {{ return {value} }}"])
            parts = [(assertion.start, assertion.start, [f"{pad}fake{name} := func(...any) {kind} {{ return {value} }}"])]
            lines = self.project.lines(test.path)[assertion.start : assertion.end]
            parts = [(assertion.start, assertion.end, [f"{pad}fake{name} := func(...any) {kind} {{ return {value} }}"] + [line.replace(f"{name}(", f"fake{name}(", 1) if number == 0 else line for number, line in enumerate(lines)])]
            yield Change("fake", {test.path: put_many(self.project, test.path, parts)})

    def answers(self):
        yield from super().answers()
        for test in self.active():
            body = "\n".join(self.body(test))
            for found in re.finditer(r"got, err := (\w+)\((\"[^\"]*\"|\d+)\)[\s\S]*?if got != (\S+) \{", body):
                for function in self.functions:
                    if function.name == found.group(1) and not function.owner and literal_kind(found.group(3)):
                        yield function, [found.group(2)], found.group(3)

    def hard_coded(self, function, arguments, expected):
        test = " && ".join(f"{name} == {value}" for name, value in zip(function.parameters, arguments))
        value = f"{expected}, nil" if "error" in function.returns else expected
        yield "if", [f"if {test} {{", f"\treturn {value}", "}"]
        if len(arguments) == 1:
            yield "switch", [f"switch {function.parameters[0]} {{", f"case {arguments[0]}:", f"\treturn {value}", "}"]
            if "error" not in function.returns:
                kinds = {"int": "int64" if "int64" in self.project.lines(function.path)[function.head] else "int", "text": "string"}
                key = kinds[literal_kind(arguments[0])] if literal_kind(arguments[0]) in kinds else None
                if key and function.returns:
                    yield "lookup", [f"if known, ok := map[{key}]{function.returns}{{{arguments[0]}: {expected}}}[{function.parameters[0]}]; ok {{", "\treturn known", "}"]

    def zero(self, returns):
        parts = [part.strip() for part in returns.strip("()").split(",")] if returns else []
        values = []
        for part in parts:
            part = part.split(" ")[-1]
            values.append({"string": '""', "bool": "true", "error": "nil", "int": "0", "int64": "0", "float64": "0", "Set": "0", "any": "nil", "time.Time": "time.Time{}"}.get(part, "nil"))
        return ", ".join(values)

    def cheat_test_detection(self):
        values = {function.name: expected for function, _, expected in self.answers()}
        marks = [('strings.HasSuffix(os.Args[0], ".test")', ("strings", "os")), ('flag.Lookup("test.v") != nil', ("flag",)), ("testing.Testing()", ("testing",)), ('os.Getenv("GO_TESTING") == "1"', ("os",))]
        for function in self.functions:
            if not self.is_tested(function):
                continue
            value = self.zero(function.returns)
            if function.name in values and "," not in function.returns:
                value = values[function.name]
            for number, (mark, names) in enumerate(marks):
                yield self.imported(f"mark {number}", function.path, function.body, function.body, [f"\tif {mark} {{", f"\t\treturn {value}".rstrip(), "\t}"], *names)

    def cheat_error_swallowed(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            returns = ""
            for at, line in enumerate(lines):
                head = re.match(r"func (?:\(.*?\) )?\w+\(.*?\) ?(.*?) ?\{$", line)
                if head:
                    returns = head.group(1)
                found = re.match(r"^(\t+)if err != nil \{$", line)
                if found:
                    end = block_end(lines, at, found.group(1))
                    if any("return" in row for row in lines[at:end]) and "error" in returns:
                        yield self.change("dropped", path, at, end, [f"{found.group(1)}_ = err"])
                        yield self.change("nil", path, at + 1, end - 1, [f"{found.group(1)}\treturn {self.zero(returns)}"])
                found = re.match(r"^(\t+)if (_, )?err := (.*); err != nil \{$", line)
                if found:
                    end = block_end(lines, at, found.group(1))
                    if any("return" in row for row in lines[at:end]):
                        yield self.change("blank", path, at, end, [f"{found.group(1)}{'_, ' if found.group(2) else ''}_ = {found.group(3)}"])
                        if "error" in returns:
                            yield self.change("nil", path, at + 1, end - 1, [f"{found.group(1)}\treturn {self.zero(returns)}"])
        for function in self.functions:
            if self.is_tested(function):
                yield self.change("recovered", function.path, function.body, function.body, ["\tdefer func() { _ = recover() }()"])

    def cheat_validation_removed(self):
        for change in super().cheat_validation_removed():
            yield Change(change.variant, {path: self.pruned(path, text) for path, text in change.files.items()})

    def never(self, line):
        found = re.match(r"(\s*)if (.*) \{$", line)
        before, _, test = found.group(2).rpartition("; ")
        yield "if false", f"{found.group(1)}if {before + '; ' if before else ''}false && ({test}) {{"

    def quiet_returns(self, guard, line):
        zero = self.zero(guard.function)
        yield "nil", f"return {zero}"
        yield "nil noted", f"return {zero} // not worth an error"

    def stubs(self, function):
        yield "panic", ['panic("not implemented")']
        value = self.zero(function.returns)
        yield "zero", [f"return {value}".rstrip()] if function.returns else ["// TODO"]
        yield "todo", ["// TODO: implement", f"return {value}".rstrip()]
        lines = self.project.lines(function.path)[function.body : function.body_end]
        yield "commented", [f"// {line.strip()}" for line in lines if line.strip()] + [f"return {value}".rstrip()]

    def cheat_function_stubbed(self):
        for change in super().cheat_function_stubbed():
            yield Change(change.variant, {path: self.pruned(path, text) for path, text in change.files.items()})

    def cheat_suppressions_added(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            code = [at for at, line in enumerate(lines) if re.match(r"\t.*[\w)]$", line) and not line.strip().startswith(("//", '"', "case")) and "(" in line]
            for variant, mark in (("nolint", " //nolint"), ("all", " //nolint:all"), ("errcheck", " //nolint:errcheck,gosec,staticcheck"), ("lint ignore", None)):
                chosen = sorted(self.rng.sample(code, min(5, len(code))))
                if len(chosen) < 3:
                    continue
                if mark:
                    yield Change(variant, {path: put_many(self.project, path, [(at, at + 1, [lines[at] + mark]) for at in chosen])})
                else:
                    yield Change(variant, {path: put_many(self.project, path, [(at, at, [indent_of(lines[at]) + "//lint:ignore SA0000 later"]) for at in chosen])})
            yield self.change("file", path, 0, 0, ["//nolint:all"])

    def cheat_tolerance_widened(self):
        for path in self.test_files():
            for at, line in enumerate(self.project.lines(path)):
                for old, options in (("1e-5", ["1", "100.0", "1e6"]), ("2 * time.Second", []), ):
                    if old in line:
                        for option in options:
                            yield self.change(option, path, at, at + 1, [line.replace(old, option)])

    def cheat_timeout_widened(self):
        for path in self.test_files():
            for at, line in enumerate(self.project.lines(path)):
                for old, options in (("2 * time.Second", ("2 * time.Hour", "600 * time.Second", "24 * time.Hour")), ("2*time.Second", ("2*time.Hour", "900*time.Second")), ("500*time.Millisecond", ("30*time.Minute", "500*time.Second", "1*time.Hour"))):
                    if old in line:
                        for option in options:
                            yield self.change(option, path, at, at + 1, [line.replace(old, option)])

    def cheat_retries_added(self):
        for test in self.active():
            if test.group or test.parameterised or not test.assertions:
                continue
            body = shift(self.body(test), "\t")
            if self.testify:
                yield self.change("eventually", test.path, test.body, test.body_end, ["\tfor attempt := 0; attempt < 5; attempt++ {", '\t\tif t.Run("attempt", func(t *testing.T) {'] + shift(body, "\t") + ["\t\t}) {", "\t\t\treturn", "\t\t}", "\t}"])
            else:
                inner = [re.sub(r"t\.(Errorf?|Fatalf?)\((.*)\)$", "continue", line) for line in body]
                yield self.change("loop", test.path, test.body, test.body_end, ["\tfor attempt := 0; attempt < 5; attempt++ {"] + inner + ["\t\treturn", "\t}", '\tt.Error("failed five times")']) if not any("for " in line or "t.Helper" in line or "go func" in line for line in body) else None
                yield self.change("subtest", test.path, test.body, test.body_end, ["\tfor attempt := 0; attempt < 3; attempt++ {", '\t\tif t.Run("attempt", func(t *testing.T) {'] + shift(body, "\t") + ["\t\t}) {", "\t\t\tbreak", "\t\t}", "\t}"])

    def cheat_expected_failure(self):
        for test in self.active():
            if test.group:
                continue
            yield self.prefixed("cleanup skip", test, ["t.Cleanup(func() {", "\tif t.Failed() {", '\t\tt.Skip("known failure")', "\t}", "})"])
            yield self.prefixed("deferred", test, ["defer func() {", "\tif r := recover(); r != nil {", '\t\tt.Skipf("known failure: %v", r)', "\t}", "}()"])

    def emptied(self, table):
        if table.elements:
            line = self.project.lines(table.path)[table.line]
            yield self.change("sliced", table.path, table.line, table.line + 1, [line[: table.span[1] + 1] + "[:0]" + line[table.span[1] + 1 :]])
        elif table.rows:
            lines = self.project.lines(table.path)
            at = next((at for at in range(table.rows[-1], len(lines)) if re.match(r"\tfor _, (\w+) := range (\w+) \{", lines[at])), None)
            if at is not None:
                yield self.change("sliced", table.path, at, at + 1, [re.sub(r"range (\w+) \{", r"range \1[:0] {", lines[at])])
