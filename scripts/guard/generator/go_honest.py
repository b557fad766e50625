"""Honest changes of Go projects."""
import re

from .language import Language
from .sites import block_end, drop, indent_of, literal_kind, put, put_many, shift, split_arguments
from .tree import Change


class HonestGo(Language):
    def package(self, path):
        return re.search(r"(?m)^package \w+$", self.project.files[path]).group()

    def imports(self, path):
        text = self.project.files[path]
        found = re.search(r"(?ms)^import \(.*?^\)\n|^import \"[^\n]*\n", text)
        return found.group() if found else ""

    def new_path(self, path, name):
        folder = path.rpartition("/")[0]
        return f"{folder}/{name}_test.go" if folder else f"{name}_test.go"

    def moved_to(self, path, tests):
        lines = self.project.lines(path)
        body = "\n\n".join("\n".join(lines[test.start : test.end]) for test in tests)
        return self.pruned(path, f"{self.package(path)}\n\n{self.imports(path)}\n{body}\n")

    def snake(self, name):
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removeprefix("Test")).lower()

    def honest_test_moved(self):
        for test in self.tests:
            if not test.group and len(self.in_file(test.path)) > 2 and "suite.Run" not in "\n".join(self.body(test)):
                rest = self.pruned(test.path, drop(self.project, test.path, [(test.start, test.end)]))
                yield Change("new file", {test.path: rest, self.new_path(test.path, self.snake(test.name)): self.moved_to(test.path, [test])})
                for other in self.test_files():
                    if other != test.path and other.rpartition("/")[0] == test.path.rpartition("/")[0]:
                        block = self.project.lines(test.path)[test.start : test.end]
                        text = self.project.files[other] + "\n" + "\n".join(block) + "\n"
                        for name in re.findall(r'\t"([^"]+)"', self.imports(test.path)):
                            if re.search(rf"\b{name.split('/')[-1]}\.", "\n".join(block)):
                                text = self.with_import(text, name)
                        yield Change("other file", {test.path: rest, other: text})

    def honest_test_file_split(self):
        for path in self.test_files():
            tests = [test for test in self.in_file(path) if not test.group and "suite.Run" not in "\n".join(self.body(test))]
            for size in (2, 3, 4):
                if len(tests) > size + 1:
                    gone = tests[-size:]
                    rest = self.pruned(path, drop(self.project, path, [(test.start, test.end) for test in gone]))
                    stem = path.split("/")[-1].replace("_test.go", "")
                    yield Change("split", {path: rest, self.new_path(path, f"{stem}_more"): self.moved_to(path, gone)})

    def honest_test_file_renamed(self):
        for path in self.test_files():
            stem = path.split("/")[-1].replace("_test.go", "")
            for new in (f"{stem}_unit", f"{stem}s", f"{stem}_rules"):
                yield Change("moved", {}, {path: self.new_path(path, new)})

    def single(self, test):
        if len(test.assertions) != 1 or test.parameterised or test.skipped or test.group:
            return None
        assertion = test.assertions[0]
        if assertion.form != "equal" or test.body_end - test.body != assertion.end - assertion.start:
            return None
        found = re.fullmatch(r"([A-Z]\w*)\((.*)\)", assertion.actual)
        if not found or not all(literal_kind(item) for item in split_arguments(found.group(2))) or not literal_kind(assertion.expected):
            return None
        return found.group(1), split_arguments(found.group(2)), assertion.expected

    def honest_tests_merged(self):
        kinds = {"int": "int", "text": "string", "float": "float64", "bool": "bool"}
        for path in self.test_files():
            groups = {}
            for test in self.in_file(path):
                found = self.single(test)
                if found and (test.path, test.name) not in self.doubles:
                    groups.setdefault((found[0], len(found[1])), []).append((test, found))
            for (name, arity), members in groups.items():
                function = next(item for item in self.functions if item.name == name and not item.owner)
                types = [kinds[literal_kind(item)] for item in members[0][1][1]]
                head = self.project.lines(function.path)[function.head]
                types = ["int64" if "int64" in head and kind == "int" else kind for kind in types]
                want = function.returns
                for size in range(2, len(members) + 1):
                    chosen = members[:size]
                    fields = [f"\t\t{'abc'[number]} {kind}" for number, kind in enumerate(types)]
                    rows = [f"\t\t{{{', '.join(arguments + [expected])}}}," for _, (_, arguments, expected) in chosen]
                    call = f"{name}({', '.join('tt.' + 'abc'[number] for number in range(arity))})"
                    check = [f"\t\tassert.Equal(t, tt.want, {call})"] if self.testify else [f"\t\tif got := {call}; got != tt.want {{", '\t\t\tt.Errorf("got %v, want %v", got, tt.want)', "\t\t}"]
                    new = [f"func Test{name}Values(t *testing.T) {{", "\ttests := []struct {"] + fields + [f"\t\twant {want}", "\t}{"] + rows + ["\t}", "\tfor _, tt := range tests {"] + check + ["\t}", "}"]
                    lines = self.project.lines(path)
                    first = chosen[0][0]
                    for test, _ in sorted(chosen, key=lambda member: -member[0].start):
                        lines[test.start : test.end] = new if test is first else []
                    yield Change("table", {path: self.pruned(path, "\n".join(lines).rstrip("\n") + "\n")})

    def honest_assertion_equivalent(self):
        for test in self.tests:
            for assertion in test.assertions:
                lines = self.project.lines(test.path)[assertion.start : assertion.end]
                pad = indent_of(lines[0])
                a, b = assertion.actual, assertion.expected
                if self.testify:
                    if assertion.detail in ("assert", "require") and assertion.form == "equal":
                        other = {"assert": "require", "require": "assert"}[assertion.detail]
                        if f'testify/{other}"' in self.project.files[test.path]:
                            yield self.change("other package", test.path, assertion.start, assertion.end, [lines[0].replace(f"{assertion.detail}.", f"{other}.", 1)])
                        yield self.change("exactly", test.path, assertion.start, assertion.end, [lines[0].replace(".Equal(", ".Exactly(", 1)]) if literal_kind(b) == "text" else None
                        yield self.change("message", test.path, assertion.start, assertion.end, [lines[0][:-1] + ', "wrong result")'])
                    continue
                if assertion.form == "equal" and assertion.detail == "bound":
                    yield self.change("two steps", test.path, assertion.start, assertion.end, [f"{pad}if got, want := {a}, {b}; got != want {{", f'{pad}\tt.Errorf("got %v, want %v", got, want)', f"{pad}}}"])
                    yield self.change("swapped", test.path, assertion.start, assertion.end, [lines[0].replace(f"got != {b} {{", f"{b} != got {{")] + lines[1:])
                    yield self.change("fatal", test.path, assertion.start, assertion.end, [line.replace("t.Errorf(", "t.Fatalf(") for line in lines])
                if assertion.form == "equal" and assertion.detail == "plain":
                    yield self.change("swapped", test.path, assertion.start, assertion.end, [lines[0].replace(f"if {a} != {b} {{", f"if {b} != {a} {{")] + lines[1:])

    def repeatable(self, text):
        found = re.match(r"([A-Z]\w*)\(", text)
        return bool(found) and any(function.name == found.group(1) and not function.owner for function in self.functions)

    def honest_assertion_strengthened(self):
        for test in self.tests:
            for assertion in test.assertions:
                pad = indent_of(self.project.lines(test.path)[assertion.start])
                if assertion.form == "equal" and literal_kind(assertion.expected) == "text" and self.repeatable(assertion.actual) and len(assertion.expected) > 2:
                    size = len(assertion.expected.encode()) - 2
                    if "\\" in assertion.expected:
                        continue
                    new = [f"{pad}assert.Len(t, {assertion.actual}, {size})"] if self.testify else [f"{pad}if size := len({assertion.actual}); size != {size} {{", f'{pad}\tt.Errorf("got %d bytes, want %d", size, {size})', f"{pad}}}"]
                    yield self.change("length added", test.path, assertion.end, assertion.end, new)
        for path, old, new in self.facts.get("stronger", []):
            yield self.written("stronger", [(path, old, new)])

    def honest_value_extracted(self):
        for test in self.tests:
            for assertion in test.assertions:
                lines = self.project.lines(test.path)[assertion.start : assertion.end]
                pad = indent_of(lines[0])
                body = "\n".join(self.body(test))
                if assertion.form != "equal" or re.search(r"\bwant :?=|\bwant,", body):
                    continue
                if len([item for item in test.assertions if item.form == "equal"]) > 1 or not literal_kind(assertion.expected) in ("text", "list"):
                    continue
                if self.testify and assertion.detail in ("assert", "require"):
                    yield self.change("want", test.path, assertion.start, assertion.end, [f"{pad}want := {assertion.expected}", f"{pad}{assertion.detail}.Equal(t, want, {assertion.actual})"])
                    yield self.change("got", test.path, assertion.start, assertion.end, [f"{pad}got := {assertion.actual}", f"{pad}{assertion.detail}.Equal(t, {assertion.expected}, got)"]) if "(" in assertion.actual else None
                elif assertion.detail == "bound":
                    yield self.change("want", test.path, assertion.start, assertion.end, [f"{pad}want := {assertion.expected}", f"{pad}if got := {assertion.actual}; got != want {{", f'{pad}\tt.Errorf("got %v, want %v", got, want)', f"{pad}}}"])
                    yield self.change("got", test.path, assertion.start, assertion.end, [f"{pad}got := {assertion.actual}", f"{pad}if got != {assertion.expected} {{"] + lines[1:])

    def honest_assertion_helper_extracted(self):
        for path in self.test_files():
            for test in self.in_file(path):
                usable = [item for item in test.assertions if item.form == "equal" and (item.detail in ("bound", "plain") and literal_kind(item.expected) in ("text", "int") or item.detail in ("assert", "require"))]
                if not usable or test.group:
                    continue
                lines = self.project.lines(path)
                parts = [(item.start, item.end, [f"{indent_of(lines[item.start])}checkEqual(t, {item.actual}, {item.expected})"]) for item in usable]
                end = len(lines) - 1
                if self.testify:
                    helper = ["", "func checkEqual(t *testing.T, got, want any) {", "\tt.Helper()", "\tassert.Equal(t, want, got)", "}"]
                else:
                    helper = ["", "func checkEqual[T comparable](t *testing.T, got, want T) {", "\tt.Helper()", "\tif got != want {", '\t\tt.Errorf("got %v, want %v", got, want)', "\t}", "}"]
                yield Change("helper", {path: self.pruned(path, put_many(self.project, path, parts + [(end, end, helper)]))})

    def honest_tests_grouped(self):
        for path in self.test_files():
            tests = [test for test in self.in_file(path) if not test.group and not test.skipped]
            lines = self.project.lines(path)
            for first, second in zip(tests, tests[1:]):
                if any(line.strip() for line in lines[first.end : second.start]):
                    continue
                new = [f"func {first.name}Cases(t *testing.T) {{"]
                for test in (first, second):
                    new += [f'\tt.Run("{self.snake(test.name).replace("_", " ")}", func(t *testing.T) {{'] + shift(self.body(test), "\t") + ["\t})"]
                yield self.change("subtests", path, first.start, second.end, new + ["}"])

    def test_of(self, name, body):
        return ["", f"func {name}(t *testing.T) {{"] + shift(body, "\t") + ["}"]

    def fact(self, actual, expected):
        if self.testify:
            return [f"assert.Equal(t, {expected}, {actual})"]
        return [f"if got := {actual}; got != {expected} {{", f'\tt.Errorf("got %v, want %v", got, {expected})', "}"]

    def at_end(self, path):
        return len(self.project.lines(path)) - 1

    def honest_tests_added(self):
        facts = self.facts.get("facts", [])
        for number, (path, actual, expected) in enumerate(facts):
            new = self.test_of(f"TestCase{number + 1}", self.fact(actual, expected))
            yield self.change("one", path, self.at_end(path), self.at_end(path), new)
            for other, text, value in facts[number + 1 :]:
                if other == path:
                    yield self.change("two", path, self.at_end(path), self.at_end(path), new + self.test_of(f"TestCase{number + 8}", self.fact(text, value)))

    def honest_assertions_added(self):
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            for test in self.in_file(path):
                if test.assertions and not test.parameterised and not test.group and re.search(rf"\b{actual.split('(')[0]}\(", "\n".join(self.body(test))):
                    yield self.change("added", path, test.body_end, test.body_end, shift(self.fact(actual, expected), "\t"))

    def honest_skipped_test_added(self):
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            issue = self.rng.randint(20, 400)
            yield self.change("issue", path, self.at_end(path), self.at_end(path), self.test_of(f"TestLater{number}", [f't.Skip("waits for #{issue}")'] + self.fact(actual, expected)))
            yield self.change("short", path, self.at_end(path), self.at_end(path), self.test_of(f"TestLong{number}", ["if testing.Short() {", '\tt.Skip("takes a minute")', "}"] + self.fact(actual, expected)))

    def honest_platform_skip_added(self):
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            system = ("windows", "darwin", "plan9")[number % 3]
            text = put(self.project, path, self.at_end(path), self.at_end(path), self.test_of(f"TestHere{number}", [f'if runtime.GOOS == "{system}" {{', f'\tt.Skip("no such paths on {system}")', "}"] + self.fact(actual, expected)))
            yield Change("new test", {path: self.with_import(text, "runtime")})

    def honest_cases_added(self):
        for path, old, new in self.facts.get("rows", []):
            yield self.written("row", [(path, old, new)])
        for table in self.tables:
            lines = self.project.lines(table.path)
            if len(table.rows) > 2:
                yield self.change("order", table.path, table.rows[0], table.rows[-1] + 1, [lines[row] for row in table.rows[1:] + table.rows[:1]])
            if len(table.elements) > 2:
                yield self.with_elements("order", table, table.elements[1:] + table.elements[:1])

    def honest_timeout_lowered(self):
        for path in self.test_files():
            for at, line in enumerate(self.project.lines(path)):
                for old, new in (("2 * time.Second", "time.Second"), ("2*time.Second", "time.Second"), ("500*time.Millisecond", "250*time.Millisecond"), ("1e-5", "1e-6")):
                    if old in line:
                        yield self.change("lower", path, at, at + 1, [line.replace(old, new)])

    def honest_formatting(self):
        for test in self.tests:
            for assertion in test.assertions:
                lines = self.project.lines(test.path)[assertion.start : assertion.end]
                pad = indent_of(lines[0])
                if assertion.detail == "bound":
                    yield self.change("two lines", test.path, assertion.start, assertion.end, [f"{pad}// The result of {assertion.actual.split('(')[0]}."] + lines)
                found = re.match(r"(\t+)t\.Errorf\((.*)\)$", lines[1]) if len(lines) == 3 else None
                if found and len(split_arguments(found.group(2))) > 1:
                    pad = found.group(1)
                    yield self.change("wrapped", test.path, assertion.start + 1, assertion.start + 2, [f"{pad}t.Errorf("] + [f"{pad}\t{item}," for item in split_arguments(found.group(2))] + [f"{pad})"])
                if self.testify and assertion.form == "equal" and assertion.detail == "assert":
                    yield self.change("wrapped", test.path, assertion.start, assertion.end, [f"{pad}assert.Equal(", f"{pad}\tt,", f"{pad}\t{assertion.expected},", f"{pad}\t{assertion.actual},", f"{pad})"])
        for path in self.test_files():
            lines = self.project.lines(path)
            at = next((at for at, line in enumerate(lines) if line.startswith('import "')), None)
            if at is not None:
                yield self.change("import block", path, at, at + 1, ["import (", "\t" + lines[at].removeprefix("import "), ")"])

    def honest_style_migrated(self):
        if self.testify:
            for test in self.tests:
                for assertion in test.assertions:
                    if assertion.form == "equal" and assertion.detail == "assert" and literal_kind(assertion.expected) in ("text", "int"):
                        pad = indent_of(self.project.lines(test.path)[assertion.start])
                        yield self.change("to the standard library", test.path, assertion.start, assertion.end,
                                          [f"{pad}if got := {assertion.actual}; got != {assertion.expected} {{", f'{pad}\tt.Errorf("got %v, want %v", got, {assertion.expected})', f"{pad}}}"])
            for path in self.test_files():
                text = self.project.files[path]
                if "require." in text and "assert." in text:
                    new = text.replace("assert.", "require.")
                    yield Change("require", {path: self.pruned(path, new)})
            return
        for path in self.test_files():
            parts = []
            for test in self.in_file(path):
                for assertion in test.assertions:
                    lines = self.project.lines(path)[assertion.start : assertion.end]
                    pad = indent_of(lines[0])
                    if assertion.form == "equal" and assertion.detail in ("bound", "plain") and literal_kind(assertion.expected) == "text":
                        parts.append((assertion.start, assertion.end, [f"{pad}assert.Equal(t, {assertion.expected}, {assertion.actual})"]))
            if parts:
                module = self.project.files["go.mod"] + "\nrequire github.com/stretchr/testify v1.9.0\n"
                for variant, chosen in (("testify", parts), ("testify in part", parts[:1])):
                    text = self.pruned(path, self.with_import(put_many(self.project, path, chosen), "github.com/stretchr/testify/assert"))
                    yield Change(variant, {path: text, "go.mod": module})

    def honest_optional_return_added(self):
        for path, kind, name, bad, _, good, value in self.facts.get("optional", []):
            product = next(item for item in self.functions if item.name == name and not item.owner)
            new = f"{name}Or"
            code = ["", f"// {new} is {name} with a value for bad input.", f"func {new}(text string, fallback {kind}) {kind} {{", f"\tvalue, err := {name}(text)", "\tif err != nil {", "\t\treturn fallback", "\t}", "\treturn value", "}"]
            test = self.test_of(f"Test{new}", self.fact(f"{new}({good}, {value})", value) + self.fact(f"{new}({bad}, {value})", value))
            yield Change("default", {product.path: put(self.project, product.path, product.end, product.end, code), path: put(self.project, path, self.at_end(path), self.at_end(path), test)})
            code = ["", f"// Is{name} says whether {name} accepts a text.", f"func Is{name}(text string) bool {{", f"\t_, err := {name}(text)", "\treturn err == nil", "}"]
            test = self.test_of(f"TestIs{name}", self.fact(f"Is{name}({good})", "true") + self.fact(f"Is{name}({bad})", "false"))
            yield Change("predicate", {product.path: put(self.project, product.path, product.end, product.end, code), path: put(self.project, path, self.at_end(path), self.at_end(path), test)})

    def honest_missing_file_default(self):
        path = next(path for path in self.product_files() if "/" not in path)
        package = self.package(path)
        for name in ("Settings", "History", "Profile"):
            code = (f'{package}\n\nimport (\n\t"errors"\n\t"io/fs"\n\t"os"\n)\n\n// Load{name} reads a file; a missing one is empty.\nfunc Load{name}(path string) (string, error) {{\n\tdata, err := os.ReadFile(path)\n'
                    '\tif errors.Is(err, fs.ErrNotExist) {\n\t\treturn "", nil\n\t}\n\tif err != nil {\n\t\treturn "", err\n\t}\n\treturn string(data), nil\n}\n')
            test = (f'{package}\n\nimport "testing"\n\nfunc TestMissing{name}(t *testing.T) {{\n\tgot, err := Load{name}("/nonexistent/file")\n\tif err != nil {{\n\t\tt.Fatal(err)\n\t}}\n\tif got != "" {{\n\t\tt.Errorf("got %q", got)\n\t}}\n}}\n')
            yield Change(name, {f"{name.lower()}.go": code, f"{name.lower()}_test.go": test})

    def honest_command_line_exit(self):
        module = re.search(r"module (\S+)", self.project.files["go.mod"]).group(1)
        yield Change("version", {"cmd/tool/main.go": 'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() {\n\tif len(os.Args) > 1 && os.Args[1] == "--version" {\n\t\tfmt.Println("1.0")\n\t\tos.Exit(0)\n\t}\n\tfmt.Fprintln(os.Stderr, "usage: tool --version")\n\tos.Exit(2)\n}\n'})
        yield Change("signal", {"cmd/serve/main.go": 'package main\n\nimport (\n\t"os"\n\t"os/signal"\n)\n\nfunc main() {\n\tstop := make(chan os.Signal, 1)\n\tsignal.Notify(stop, os.Interrupt)\n\t<-stop\n\tos.Exit(0)\n}\n'})
        yield Change("help", {"cmd/help/main.go": f'// Command help explains {module}.\npackage main\n\nimport (\n\t"flag"\n\t"os"\n)\n\nfunc main() {{\n\tflag.Parse()\n\tif flag.NArg() == 0 {{\n\t\tflag.Usage()\n\t\tos.Exit(0)\n\t}}\n}}\n'})

    def honest_feature_flag_added(self):
        for path in self.product_files():
            end = len(self.project.lines(path)) - 1
            for variant, code in (
                ("production", ["", "// Production says whether this is the live system.", "func Production() bool {", '\treturn os.Getenv("APP_ENV") == "production"', "}"]),
                ("debug", ["", "func debugEnabled() bool {", '\treturn os.Getenv("DEBUG") != ""', "}"]),
                ("flag", ["", "// Strict turns on further checks.", 'var Strict = os.Getenv("STRICT") != "0"']),
            ):
                text = put(self.project, path, end, end, code)
                yield Change(variant, {path: self.with_import(text, "os")})

    def honest_suppression_with_reason(self):
        for path in self.product_files():
            end = len(self.project.lines(path)) - 1
            yield self.change("unused", path, end, end, ["", "//nolint:unused // kept for the next release", "func reserved() {}"])
            yield Change("errcheck", {path: self.with_import(put(self.project, path, end, end, ["", "func notify(w io.Writer) {", '\tio.WriteString(w, "ready") //nolint:errcheck // best effort: nobody may be listening', "}"]), "io")})

    def honest_skip_removed(self):
        for test in self.tests:
            body = self.body(test)
            if test.skipped and len(body) > 2 and "t.Skip(" in body[1]:
                yield self.change("removed", test.path, test.body, test.body + 3, [])
