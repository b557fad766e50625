"""Honest changes of Python projects."""
import ast
import re

from .language import Language
from .sites import drop, indent_of, literal_kind, put, put_many, shift
from .tree import Change


class HonestPython(Language):
    def head_of(self, path):
        """Imports and helpers before the first test or class of tests."""
        lines = self.project.lines(path)
        first = min(test.start for test in self.in_file(path))
        for at in range(first):
            if lines[at].startswith("class ") and "Test" in lines[at]:
                return lines[:at]
        return lines[:first]

    def moved_to(self, path, tests):
        """A new test file with some tests of another."""
        lines = self.project.lines(path)
        body = []
        group = None
        for test in tests:
            if test.group and test.group != group:
                declared = next(line for line in lines if line.startswith(f"class {test.group}"))
                if body:
                    body += ["", ""]
                body.append(declared)
            elif body:
                body += [""] if test.group else ["", ""]
            group = test.group
            body += lines[test.start : test.end]
        return self.pruned(path, "\n".join(self.head_of(path)).rstrip("\n") + "\n\n\n" + "\n".join(body) + "\n")

    def movable(self, test):
        return not (self.unittest and "self.s" in "\n".join(self.body(test))) and "self.action" not in "\n".join(self.body(test))

    def new_path(self, path, name):
        return "/".join(path.split("/")[:-1] + [f"test_{name}.py"])

    def honest_test_moved(self):
        for path in self.test_files():
            for test in self.in_file(path):
                if self.movable(test) and self.keeps_group(test):
                    stem = re.sub(r"^test_", "", test.name)
                    rest = self.pruned(path, drop(self.project, path, [(test.start, test.end)]))
                    yield Change("new file", {path: rest, self.new_path(path, stem): self.moved_to(path, [test])})

    def honest_test_file_split(self):
        for path in self.test_files():
            tests = self.in_file(path)
            groups = [test.group for test in tests]
            if len(tests) < 5 or not all(map(self.movable, tests)):
                continue
            for cut in range(2, len(tests) - 1):
                if groups[cut] and groups[cut] == groups[cut - 1] or groups[0] and set(groups[cut:]) & set(groups[:cut]):
                    continue
                kept, gone = tests[:cut], tests[cut:]
                lines = self.project.lines(path)
                first = gone[0].start
                if gone[0].group:
                    first = next(at for at in range(gone[0].start, -1, -1) if lines[at].startswith("class "))
                if any(re.match(r"[A-Za-z]", line) for line in lines[kept[-1].end : first]) or any(
                        re.match(r"[A-Z]\w* = ", line) for line in lines[len(self.head_of(path)):]):
                    continue
                rest = self.pruned(path, "\n".join(lines[:first]).rstrip("\n") + "\n")
                stem = path.split("/")[-1][5:-3]
                yield Change("split", {path: rest, self.new_path(path, f"{stem}_more"): self.moved_to(path, gone)})

    def honest_test_file_renamed(self):
        for path in self.test_files():
            stem = path.split("/")[-1][5:-3]
            for new in (f"{stem}s", f"{stem}_unit", f"{stem}_rules"):
                yield Change("moved", {}, {path: self.new_path(path, new)})
            if "tests/__init__.py" not in self.project.files and not path.startswith("src"):
                if "__file__" not in self.project.files[path]:
                    yield Change("folder", {}, {path: path.replace("tests/", "tests/unit/")})

    def single(self, test):
        """Function, arguments and expected value of a test with one plain comparison."""
        if len(test.assertions) != 1 or test.body_end - test.body != 1 or test.parameterised or test.skipped:
            return None
        assertion = test.assertions[0]
        if assertion.form != "equal":
            return None
        found = re.fullmatch(r"([a-z_]\w*)\((.*)\)", assertion.actual)
        return (found.group(1), found.group(2), assertion.expected) if found else None

    def honest_tests_merged(self):
        for path in self.test_files():
            groups = {}
            for test in self.in_file(path):
                found = self.single(test)
                if found and (test.path, test.name) not in self.doubles:
                    groups.setdefault((test.group, found[0], len(self.elements(found[1])) - 1), []).append((test, found))
            for (group, name, commas), members in groups.items():
                for size in range(2, len(members) + 1):
                    chosen = members[:size]
                    first = chosen[0][0]
                    pad = first.indent
                    if self.unittest:
                        rows = ", ".join(f"({arguments}, {expected})" if not commas else f"(({arguments}), {expected})" for _, (_, arguments, expected) in chosen)
                        value = "*arguments" if commas else "argument"
                        new = [f"{pad}def {first.name}_and_others(self):", f"{pad}    for {value.lstrip('*')}, expected in [{rows}]:",
                               f"{pad}        with self.subTest({value.lstrip('*')}={value.lstrip('*')}):",
                               f"{pad}            self.assertEqual({name}({value}), expected)"]
                    else:
                        rows = [f"{pad}        (({arguments}), {expected})," if commas else f"{pad}        ({arguments}, {expected})," for _, (_, arguments, expected) in chosen]
                        value = "*arguments" if commas else "argument"
                        own = "self, " if group else ""
                        new = ([f"{pad}@pytest.mark.parametrize(", f'{pad}    "{value.lstrip("*")}, expected",', f"{pad}    ["] + rows +
                               [f"{pad}    ],", f"{pad})", f"{pad}def test_{name}({own}{value.lstrip('*')}, expected):",
                                f"{pad}    assert {name}({value}) == expected"])
                        if any(re.search(rf"def test_{name}\(", text) for text in [self.project.files[path]]):
                            new[-2] = new[-2].replace(f"test_{name}(", f"test_{name}_table(")
                    lines = self.project.lines(path)
                    for test, _ in sorted(chosen, key=lambda member: -member[0].start):
                        start = test.start
                        if test is first:
                            lines[start : test.end] = new
                        else:
                            end = test.end
                            while end < len(lines) and not lines[end].strip():
                                end += 1
                            keep = lines[end:]
                            lines = lines[:start] + keep
                    text = "\n".join(lines).rstrip("\n") + "\n"
                    text = re.sub(r"\n\n+(    def )", r"\n\n\1", text)
                    if not self.unittest:
                        text = self.with_import(text, "import pytest")
                    yield Change("parametrised", {path: text})

    def honest_assertion_equivalent(self):
        for test in self.tests:
            for assertion in test.assertions:
                a, b = assertion.actual, assertion.expected
                options = []
                if assertion.form == "equal" and assertion.detail == "assert":
                    options = [("swapped", f"assert {b} == {a}")]
                    if literal_kind(b) == "list" and b.startswith("["):
                        options.append(("both", f"assert {a} == {b} and len({a}) == {len(ast.literal_eval(b))}"))
                    if literal_kind(b) in ("text", "int"):
                        options.append(("message", f'assert {a} == {b}, "wrong result"'))
                if assertion.form == "equal" and assertion.detail == "self":
                    options = [("plain assert", f"assert {a} == {b}"), ("message", f'self.assertEqual({a}, {b}, "wrong result")')]
                    if b.startswith("["):
                        options.append(("list", f"self.assertListEqual({a}, {b})"))
                if assertion.form == "true" and assertion.detail == "self":
                    options = [("is true", f"self.assertIs({a}, True)"), ("plain assert", f"assert {a}")]
                line = self.project.lines(test.path)[assertion.start]
                if assertion.end - assertion.start == 1 and not line.rstrip().endswith(('"', "text")) or not line.strip().startswith("assert"):
                    for variant, new in options:
                        if assertion.end - assertion.start == 1:
                            yield self.change(variant, test.path, assertion.start, assertion.end, [indent_of(line) + new])

    def honest_assertion_strengthened(self):
        for test in self.tests:
            for assertion in test.assertions:
                a, b = assertion.actual, assertion.expected
                pad = indent_of(self.project.lines(test.path)[assertion.start])
                own = assertion.detail == "self"
                name = {"int": "int", "text": "str", "bool": "bool"}.get(literal_kind(b))
                if assertion.form == "equal" and name and "(" in a and self.repeatable(a):
                    extra = f"self.assertIsInstance({a}, {name})" if own else f"assert isinstance({a}, {name})"
                    yield self.change("type added", test.path, assertion.end, assertion.end, [pad + extra])
                if assertion.form == "equal" and literal_kind(b) == "list" and b.startswith("[") and "(" in a and self.repeatable(a):
                    count = len(ast.literal_eval(b))
                    extra = f"self.assertEqual(len({a}), {count})" if own else f"assert len({a}) == {count}"
                    yield self.change("length added", test.path, assertion.end, assertion.end, [pad + extra])
        for path, old, new in self.facts.get("stronger", []):
            yield self.written("stronger", [(path, old, new)])

    def repeatable(self, text):
        """Whether a second call gives the same: a call of a plain product function."""
        found = re.match(r"([a-z_]\w*)\(", text)
        return bool(found) and any(function.name == found.group(1) and not function.owner for function in self.functions)

    def honest_value_extracted(self):
        for test in self.tests:
            for assertion in test.assertions:
                if assertion.form == "equal" and assertion.detail in ("assert", "self") and assertion.end - assertion.start == 1 and not test.parameterised:
                    line = self.project.lines(test.path)[assertion.start]
                    if re.search(r"\b(expected|actual)\b", "\n".join(self.body(test))) or line.rstrip().endswith(", text"):
                        continue
                    pad, a, b = indent_of(line), assertion.actual, assertion.expected
                    own = assertion.detail == "self"
                    yield self.change("expected", test.path, assertion.start, assertion.end,
                                      [f"{pad}expected = {b}", pad + (f"self.assertEqual({a}, expected)" if own else f"assert {a} == expected")])
                    yield self.change("actual", test.path, assertion.start, assertion.end,
                                      [f"{pad}actual = {a}", pad + (f"self.assertEqual(actual, {b})" if own else f"assert actual == {b}")])

    def honest_assertion_helper_extracted(self):
        for path in self.test_files():
            tests = [test for test in self.in_file(path) if len([a for a in test.assertions if a.form == "equal" and a.detail in ("assert", "self") and a.end - a.start == 1]) > 1]
            lines = self.project.lines(path)
            for test in tests:
                parts = []
                for assertion in test.assertions:
                    if assertion.form == "equal" and assertion.detail in ("assert", "self") and assertion.end - assertion.start == 1:
                        pad = indent_of(lines[assertion.start])
                        call = "self.check" if self.unittest else "check_equal"
                        parts.append((assertion.start, assertion.end, [f"{pad}{call}({assertion.actual}, {assertion.expected})"]))
                if self.unittest:
                    at = next(at for at, line in enumerate(lines) if line.startswith(f"class {test.group}")) + 1
                    parts.append((at, at, ["    def check(self, actual, expected):", "        self.assertEqual(actual, expected)", ""]))
                else:
                    at = len(self.head_of(path))
                    while at > 0 and not lines[at - 1].strip():
                        at -= 1
                    parts.append((at, at, ["", "", "def check_equal(actual, expected):", '    assert actual == expected, f"{actual!r} is not {expected!r}"']))
                yield Change("helper", {path: put_many(self.project, path, parts)})

    def honest_tests_grouped(self):
        if self.unittest:
            return
        for path in self.test_files():
            tests = [test for test in self.in_file(path) if not test.group]
            lines = self.project.lines(path)
            for size in (2, 3, 4):
                chosen = tests[:size]
                if len(chosen) < size or any(line.strip() for first, second in zip(chosen, chosen[1:]) for line in lines[first.end : second.start]):
                    continue
                new = ["class TestBasics:"]
                for test in chosen:
                    block = lines[test.start : test.end]
                    block = [re.sub(r"^def (\w+)\((.*)\)", lambda m: f"def {m.group(1)}(self{', ' + m.group(2) if m.group(2) else ''})", line) for line in block]
                    new += shift(block, "    ") + [""]
                yield self.change("class", path, chosen[0].start, chosen[-1].end, new[:-1])

    def test_of(self, name, body, marks=()):
        if self.unittest:
            return [""] + shift(list(marks) + [f"def {name}(self):"] + shift(body, "    "), "    ")
        return ["", ""] + list(marks) + [f"def {name}():"] + shift(body, "    ")

    def compare(self, actual, expected):
        return f"self.assertEqual({actual}, {expected})" if self.unittest else f"assert {actual} == {expected}"

    def at_end(self, path):
        """The line after the last test: of the file, or of its last class."""
        return self.in_file(path)[-1].end

    def honest_tests_added(self):
        facts = self.facts.get("facts", [])
        for number, (path, actual, expected) in enumerate(facts):
            new = self.test_of(f"test_more_{number + 1}", [self.compare(actual, expected)])
            yield self.change("one", path, self.at_end(path), self.at_end(path), new)
            for other_path, other, value in facts[number + 1 :]:
                if other_path == path:
                    more = new + self.test_of(f"test_more_{number + 9}", [self.compare(other, value)])
                    yield self.change("two", path, self.at_end(path), self.at_end(path), more)

    def honest_assertions_added(self):
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            for test in self.in_file(path):
                if test.assertions and test.assertions[-1].form == "equal" and not test.parameterised and actual.split("(")[0] in "\n".join(self.body(test)):
                    yield self.change("added", path, test.end, test.end, [self.into(test) + self.compare(actual, expected)])

    def honest_skipped_test_added(self):
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            issue = self.rng.randint(20, 400)
            if self.unittest:
                marks = [f'@unittest.skip("waits for #{issue}")']
                yield self.change("issue", path, self.at_end(path), self.at_end(path), self.test_of(f"test_later_{number}", [self.compare(actual, expected)], marks))
                continue
            text = put(self.project, path, self.at_end(path), self.at_end(path),
                       self.test_of(f"test_later_{number}", [self.compare(actual, expected)], [f'@pytest.mark.skip(reason="waits for #{issue}")']))
            yield Change("issue", {path: self.with_import(text, "import pytest")})
            text = put(self.project, path, self.at_end(path), self.at_end(path),
                       self.test_of(f"test_later_{number}", [self.compare(actual, expected)], [f'@pytest.mark.xfail(reason="not built yet, #{issue}")']))
            if self.project.name != "py-calcparse":
                yield Change("expected failure", {path: self.with_import(text, "import pytest")})

    def honest_platform_skip_added(self):
        conditions = [('sys.platform == "win32"', "needs POSIX paths", "import sys"), ("sys.version_info < (3, 11)", "needs 3.11", "import sys"),
                      ('sys.platform != "linux"', "needs /proc", "import sys")]
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            condition, reason, imported = conditions[number % len(conditions)]
            mark = f'@unittest.skipIf({condition}, "{reason}")' if self.unittest else f'@pytest.mark.skipif({condition}, reason="{reason}")'
            text = put(self.project, path, self.at_end(path), self.at_end(path), self.test_of(f"test_here_{number}", [self.compare(actual, expected)], [mark]))
            text = self.with_import(text, imported)
            yield Change("new test", {path: text if self.unittest else self.with_import(text, "import pytest")})

    def honest_cases_added(self):
        for path, old, new in self.facts.get("rows", []):
            yield self.written("row", [(path, old, new)])
        for table in self.tables:
            if len(table.elements) > 2:
                yield self.with_elements("order", table, table.elements[1:] + table.elements[:1])
            if len(table.rows) > 2:
                lines = self.project.lines(table.path)
                yield self.change("order", table.path, table.rows[0], table.rows[-1] + 1,
                                  [lines[row] for row in table.rows[1:] + table.rows[:1]])

    def honest_skip_removed(self):
        for test in self.tests:
            if test.skipped:
                yield self.change("removed", test.path, test.start, test.head, [])

    def honest_retry_removed(self):
        for path in self.test_files():
            for at, line in enumerate(self.project.lines(path)):
                if "flaky(reruns=2)" in line:
                    yield self.change("removed", path, at, at + 1, [])
                    yield self.change("fewer", path, at, at + 1, [line.replace("reruns=2", "reruns=1")])

    def honest_timeout_lowered(self):
        for path in ("pytest.ini",):
            for at, line in enumerate(self.project.files.get(path, "").split("\n")):
                if line.startswith("timeout = "):
                    for value in (5, 3, 8):
                        yield self.change("lower", path, at, at + 1, [f"timeout = {value}"])
        for path in self.test_files():
            for at, line in enumerate(self.project.lines(path)):
                for old, new in (("abs=1e-6", "abs=1e-9"), ("abs=1e-9", "abs=1e-10"), ("rel=1e-6", "rel=1e-7"), ("places=5", "places=7")):
                    if old in line:
                        yield self.change("narrower", path, at, at + 1, [line.replace(old, new)])

    def has_no_message(self, line):
        """Whether an assertion on one line stands alone: `assert (a == b, "text")` would be a tuple, which is always true."""
        try:
            return ast.parse(line.strip()).body[0].msg is None
        except SyntaxError:
            return False

    def honest_formatting(self):
        for path in self.test_files() + self.product_files():
            lines = self.project.lines(path)
            parts = []
            for at, line in enumerate(lines):
                found = re.match(r"(\s*)(assert [\w.]+\(.*\)) == (.{8,})$", line)
                if found and path in self.test_files() and "for" not in line and self.has_no_message(line):
                    pad = found.group(1)
                    parts.append((at, at + 1, [f"{pad}assert (", f"{pad}    {found.group(2)[7:]}", f"{pad}    == {found.group(3)}", f"{pad})"]))
            parts = [part for part in parts if self.parses(path, put_many(self.project, path, [part]))]
            if parts:
                yield Change("wrapped", {path: put_many(self.project, path, parts)})
                yield Change("wrapped one", {path: put_many(self.project, path, parts[:1])})
            text = self.project.files[path]
            single = re.sub(r'(?<![\w\'"\\])"([^"\'\\\n{}]*)"(?!")', r"'\1'", text)
            if single != text and '"""' not in text and self.parses(path, single) and "f'" not in single:
                yield Change("quotes", {path: single})
        for table in self.tables:
            if table.elements and "parametrize" in self.project.lines(table.path)[table.line]:
                line = self.project.lines(table.path)[table.line]
                head, tail = line[: table.span[0] - 1], line[table.span[1] + 1 :]
                pad = indent_of(line)
                name = re.search(r"\((\"[^\"]*\"), $", head).group(1)
                yield self.change("table", table.path, table.line, table.line + 1,
                                  [f"{pad}@pytest.mark.parametrize(", f"{pad}    {name},", f"{pad}    ["] + [f"{pad}        {element}," for element in table.elements] +
                                  [f"{pad}    ],", f"{pad})"])

    def honest_style_migrated(self):
        if self.unittest:
            for path in self.test_files():
                text = self.project.files[path]
                new = re.sub(r"self\.assertEqual\((.*), (\[.*\]|\S+)\)\n", r"assert \1 == \2\n", text)
                new = re.sub(r"self\.assertTrue\((.*)\)\n", r"assert \1\n", new)
                new = re.sub(r"self\.assertFalse\((.*)\)\n", r"assert not \1\n", new)
                new = re.sub(r"self\.assertRaisesRegex\((\w+), (\".*?\")\)", r"pytest.raises(\1, match=\2)", new)
                new = re.sub(r"self\.assertRaises\((\w+)\)", r"pytest.raises(\1)", new)
                if new != text and self.parses(path, new):
                    yield Change("asserts", {path: self.with_import(new, "import pytest") if "pytest." in new else new})
                    raises = re.sub(r"self\.assertRaisesRegex\((\w+), (\".*?\")\)", r"pytest.raises(\1, match=\2)", text)
                    raises = re.sub(r"self\.assertRaises\((\w+)\)", r"pytest.raises(\1)", raises)
                    if raises != text:
                        yield Change("raises", {path: self.with_import(raises, "import pytest")})
                    # Whole classes become functions where nothing needs the instance.
                    flat = new
                    if "setUp" not in flat and "subTest" not in flat and "self.assert" not in flat:
                        flat = re.sub(r"(?m)^class \w+\(unittest\.TestCase\):\n", "", flat)
                        flat = re.sub(r"(?m)^    ", "", flat).replace("(self)", "()")
                        if self.parses(path, flat):
                            yield Change("functions", {path: self.with_import(flat, "import pytest")})
            return
        for test in self.tests:
            for assertion in test.assertions:
                if assertion.form == "raises" and "as info" not in self.project.lines(test.path)[assertion.start]:
                    block = self.project.lines(test.path)[assertion.start : assertion.end]
                    pad = indent_of(block[0])
                    if len(block) == 2 and "match=" in block[0]:
                        message = re.search(r"match=(\"[^\"]*\"|\w+)", block[0]).group(1)
                        kind = assertion.expected
                        yield self.change("info", test.path, assertion.start, assertion.end,
                                          [f"{pad}with pytest.raises({kind}) as info:", block[1], f"{pad}assert {message} in str(info.value)"])
                if assertion.form == "raises" and "match=" not in assertion.detail and assertion.end - assertion.start == 2:
                    line = self.project.lines(test.path)[assertion.start]
                    found = re.fullmatch(r"([\w.]+)\((.*)\)", assertion.actual)
                    if found and " as " not in line:
                        pad = indent_of(line)
                        arguments = f", {found.group(2)}" if found.group(2) else ""
                        yield self.change("call form", test.path, assertion.start, assertion.end,
                                          [f"{pad}pytest.raises({assertion.expected}, {found.group(1)}{arguments})"])

    def honest_optional_return_added(self):
        for path, module, name, bad, kind, good, value in self.facts.get("optional", []):
            test_path, function = path, f"try_{name}"
            product = next(item for item in self.functions if item.name == name)
            lines = ["", "", f"def {function}({product.parameters[0]}):", "    try:", f"        return {name}({product.parameters[0]})", f"    except {kind}:", "        return None"]
            text = put(self.project, product.path, product.end, product.end, lines)
            if "strict = true" in self.project.files.get("pyproject.toml", ""):
                text = text.replace(f"def {function}({product.parameters[0]}):", f"def {function}({product.parameters[0]}: str) -> int | None:")
            tests = put(self.project, test_path, self.at_end(test_path), self.at_end(test_path),
                        self.test_of(f"test_{function}", [self.compare(f"{function}({good})", value),
                                                          f"self.assertIsNone({function}({bad}))" if self.unittest else f"assert {function}({bad}) is None"]))
            yield Change("try", {product.path: text, test_path: self.with_import(tests, f"from {module} import {function}")})
            default = text.replace(f"def {function}(", f"def {name}_or(").replace("        return None", "        return default")
            default = re.sub(rf"def {name}_or\((\w+)(?:: str)?\)(?: -> int \| None)?:", rf"def {name}_or(\1, default):", default)
            tests = put(self.project, test_path, self.at_end(test_path), self.at_end(test_path),
                        self.test_of(f"test_{name}_or", [self.compare(f"{name}_or({good}, -1)", value), self.compare(f"{name}_or({bad}, -1)", "-1")]))
            yield Change("default", {product.path: default, test_path: self.with_import(tests, f"from {module} import {name}_or")})

    def package(self):
        return self.product_files()[0].rsplit("/", 1)[0]

    def honest_missing_file_default(self):
        package = self.package()
        module = package.replace("src/", "").replace("/", ".")
        for name, default in (("settings", "{}"), ("history", "[]"), ("profile", "None")):
            code = (f'"""Reads the {name} file."""\nimport json\nfrom pathlib import Path\n\n\ndef load_{name}(path: Path):\n    try:\n        text = path.read_text()\n'
                    f"    except FileNotFoundError:\n        return {default}\n    return json.loads(text)\n")
            if self.unittest:
                tests = (f"import tempfile\nimport unittest\nfrom pathlib import Path\n\nfrom {module}.{name} import load_{name}\n\n\nclass {name.title()}Test(unittest.TestCase):\n"
                         f"    def test_missing(self):\n        self.assertEqual(load_{name}(Path(\"/nonexistent/file\")), {default})\n\n"
                         f"    def test_read(self):\n        with tempfile.TemporaryDirectory() as folder:\n            path = Path(folder) / \"x.json\"\n            path.write_text(\"[1]\")\n            self.assertEqual(load_{name}(path), [1])\n")
            else:
                tests = (f"from {module}.{name} import load_{name}\n\n\ndef test_missing(tmp_path):\n    assert load_{name}(tmp_path / \"none.json\") == {default}\n\n\n"
                         f"def test_read(tmp_path):\n    path = tmp_path / \"x.json\"\n    path.write_text(\"[1]\")\n    assert load_{name}(path) == [1]\n")
            yield Change(name, {f"{package}/{name}.py": code, f"tests/test_{name}.py": tests})

    def honest_command_line_exit(self):
        package = self.package()
        yield Change("version", {f"{package}/cli.py": 'import sys\n\n\ndef main():\n    if "--version" in sys.argv:\n        print("1.0")\n        sys.exit(0)\n    print("usage: [--version]", file=sys.stderr)\n    sys.exit(2)\n\n\nif __name__ == "__main__":\n    main()\n'})
        yield Change("daemon", {f"{package}/daemon.py": 'import os\nimport sys\n\n\ndef detach():\n    if os.fork() > 0:\n        os._exit(0)\n    os.setsid()\n\n\nif __name__ == "__main__":\n    detach()\n    sys.exit(0)\n'})
        yield Change("script", {"scripts/report.py": '#!/usr/bin/env python3\nimport sys\n\nif len(sys.argv) > 1 and sys.argv[1] == "--help":\n    print("Writes a report.")\n    raise SystemExit(0)\nprint("report")\n'})
        path = next((path for path in self.project.files if path.endswith("__main__.py")), None)
        if path:
            text = self.project.files[path]
            yield Change("help", {path: text.replace('if __name__ == "__main__":\n', 'if __name__ == "__main__":\n    if sys.argv[1:] == ["--help"]:\n        print("See the README.")\n        sys.exit(0)\n')})

    def honest_feature_flag_added(self):
        for path in self.product_files():
            functions = [item for item in self.functions if item.path == path and not item.owner]
            if not functions:
                continue
            at = functions[-1].end
            for variant, lines in (
                ("production", ["", "", "def is_production():", '    return os.environ.get("APP_ENV") == "production"']),
                ("flag", ["", "", 'STRICT = os.environ.get("STRICT_MODE", "1") == "1"']),
                ("debug", ["", "", "def debug_enabled():", '    return bool(os.environ.get("DEBUG"))']),
            ):
                yield Change(variant, {path: self.with_import(put(self.project, path, at, at, lines), "import os")})

    def honest_suppression_with_reason(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            at = next((at for at, line in enumerate(lines) if re.match(r"(import|from) ", line)), None)
            if at is not None:
                yield self.change("noqa", path, at, at, ["import readline  # noqa: F401  (imported for line editing)"])
            functions = [item for item in self.functions if item.path == path and not item.owner]
            if functions:
                at = functions[-1].end
                yield self.change("type", path, at, at, ["", "", "def untyped_bridge(value):", "    return value.legacy_name  # type: ignore[attr-defined]  # the stub lacks it"])
                yield self.change("cover", path, at, at, ["", "", 'if __name__ == "__main__":  # pragma: no cover', f'    print("{functions[-1].name}")'])
