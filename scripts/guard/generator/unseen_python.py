"""How the unseen part cheats and changes honestly in Python: pytest and unittest."""
import re

from .tree import Change
from .unseen_base import Tongue, plain_text, shifted
from .unseen_honest import Honest
from .unseen_sites import pad_of


class Python(Honest, Tongue):
    comment, step, both_true, equals, quote = "#", "    ", "and", "==", '"'

    @property
    def pytest(self):
        return self.style == "pytest"

    def with_line(self, text, line):
        """The text with an import among its imports."""
        if re.search(rf"(?m)^{re.escape(line)}$", text):
            return text
        lines = text.split("\n")
        at = next(row for row, found in enumerate(lines) if found.startswith(("import ", "from ")) and "__future__" not in found)
        return "\n".join(lines[:at] + [line] + lines[at:])

    def imported(self, change, path, line):
        if line:
            change.files[path] = self.with_line(change.files[path], line)
        return change

    def marked(self, variant, case, line, imported):
        pad = pad_of(self.files.lines(case.path)[case.head])
        return self.imported(self.files.put(variant, case.path, (case.start, case.start, [pad + line])), case.path, imported)

    def cheat_skip_mark(self):
        for case in self.cases:
            if self.pytest:
                yield self.marked("mark", case, f'@pytest.mark.skip(reason="{self.reason()}")', "import pytest")
                yield self.marked("bare", case, "@pytest.mark.skip", "import pytest")
                yield self.imported(self.in_body("in body", case, [f'pytest.skip("{self.reason()}")']), case.path, "import pytest")
            else:
                yield self.marked("mark", case, f'@unittest.skip("{self.reason()}")', "import unittest")
                yield self.in_body("in body", case, [f'self.skipTest("{self.reason()}")'])
                yield self.in_body("raised", case, [f'raise unittest.SkipTest("{self.reason()}")'])
        for path in sorted(self.tests):
            lines = self.files.lines(path)
            at = max(row for row, line in enumerate(lines) if line.startswith(("import ", "from "))) + 1
            if self.pytest:
                yield self.imported(self.files.put("module", path, (at, at, ["", f'pytestmark = pytest.mark.skip("{self.reason()}")'])), path, "import pytest")
                yield self.imported(self.files.put("module level", path, (at, at, ["", f'pytest.skip("{self.reason()}", allow_module_level=True)'])), path, "import pytest")
            for row, line in enumerate(lines):
                if re.match(r"class \w*Test", line):
                    mark = f'@pytest.mark.skip(reason="{self.reason()}")' if self.pytest else f'@unittest.skip("{self.reason()}")'
                    yield self.files.put("class", path, (row, row, [mark]))

    def cheat_conditional_skip(self):
        for case in self.cases:
            variable = self.rng.choice(["RUN_ALL", "SLOW_TESTS", "FULL_SUITE", "INTEGRATION"])
            if self.pytest:
                yield self.imported(self.marked("unless set", case, f'@pytest.mark.skipif(not os.environ.get("{variable}"), reason="set {variable} to run")', "import pytest"), case.path, "import os")
                yield self.marked("always", case, f'@pytest.mark.skipif(True, reason="{self.reason()}")', "import pytest")
                yield self.imported(self.marked("platform", case, '@pytest.mark.skipif(sys.platform != "win32", reason="only on Windows for now")', "import pytest"), case.path, "import sys")
                yield self.imported(self.imported(self.in_body("in body", case, [f'if "{variable}" not in os.environ:', f'    pytest.skip("{self.reason()}")']), case.path, "import os"), case.path, "import pytest")
            else:
                yield self.imported(self.marked("unless set", case, f'@unittest.skipUnless(os.getenv("{variable}"), "{self.reason()}")', ""), case.path, "import os")
                yield self.marked("always", case, f'@unittest.skipIf(True, "{self.reason()}")', "")
                yield self.imported(self.in_body("in body", case, [f'if not os.environ.get("{variable}"):', f'    self.skipTest("{variable} is not set")']), case.path, "import os")
                yield self.imported(self.marked("version", case, '@unittest.skipIf(sys.version_info >= (3, 8), "old interpreters only")', ""), case.path, "import sys")

    def cheat_expected_failure(self):
        for case in self.cases:
            if case.checks and case.checks[0].form == "equal":
                if self.pytest:
                    yield self.marked("lenient", case, f'@pytest.mark.xfail(reason="{self.reason()}", strict=False)', "import pytest")
                    yield self.imported(self.in_body("in body", case, [f'pytest.xfail("{self.reason()}")']), case.path, "import pytest")
                else:
                    first = case.checks[0]
                    if first.how == "assertEqual" and pad_of(self.files.lines(case.path)[first.start]) == case.pad:
                        pad = pad_of(self.files.lines(case.path)[case.head])
                        yield self.files.put("mark", case.path, (case.start, case.start, [pad + "@unittest.expectedFailure"]),
                                             (first.start, first.end, [f"{case.pad}self.assertNotEqual({first.actual}, {first.expected})"]))

    def cheat_retries_added(self):
        for case in self.cases:
            if not case.table:
                yield self.looped(case)

    def looped(self, case):
        body = self.body_lines(case)
        lines = [f"for attempt in range({self.rng.choice([3, 5])}):", "    try:", *shifted(body, "        "), "        break",
                 "    except AssertionError:", "        if attempt == 4:" if self.rng.random() < 0.3 else "        continue"]
        if lines[-1].endswith(":"):
            lines.append("            raise")
        return self.as_body("loop", case, lines)

    def empty_bodies(self, case):
        yield "pass", ["pass"]
        yield "dots", ["..."]
        yield "note", [f"# TODO: {self.reason()}", "pass"]
        lines = self.body_lines(case)
        stop = case.checks[0].start - case.body if case.checks else 0
        if stop and not case.checks[0].form == "raises":
            kept = [line for line in lines[:stop]]
            if kept and not kept[-1].rstrip().endswith(":") and all(not line.startswith(" ") for line in kept):
                yield "prepared only", kept

    def returns(self, case):
        yield "return", ["return"]
        yield "with a note", [f"return  # {self.reason()}"]
        yield "condition", ["if True:", "    return"]

    def exits(self, case):
        yield "os", ["import os", "os._exit(0)"]
        yield "printed", ["import os", "", 'print("OK", flush=True)', "os._exit(0)"]
        if self.pytest:
            yield "pytest", ['pytest.exit("done", returncode=0)'] if "import pytest" in self.project.files[case.path] else ["import os; os._exit(0)"]

    def tautologies(self, case, check):
        if self.pytest:
            yield "true", ["assert True"]
            yield "one", ["assert 1 == 1"]
            if check.form == "equal":
                yield "or", [f"assert {check.actual} == {check.expected} or True"]
                yield "tuple", [f'assert ({check.actual} == {check.expected}, "as expected")']
        else:
            yield "true", ["self.assertTrue(True)"]
            yield "same", ["self.assertEqual(1, 1)"]
            if check.form == "equal":
                yield "first true", [f"self.assertTrue({check.actual}, {check.expected})"] if not number_like(check) else ["self.assertIsNone(None)"]
                yield "or", [f"self.assertTrue({check.actual} == {check.expected} or True)"]

    def circles(self, case, check):
        if self.pytest:
            yield "itself", [f"assert {check.actual} == {check.actual}"]
            yield "by name", [f"result = {check.actual}", "assert result == result"]
            yield "expected from code", [f"expected = {check.actual}", f"assert {check.actual} == expected"]
        else:
            yield "itself", [f"self.assertEqual({check.actual}, {check.actual})"]
            yield "by name", [f"expected = {check.actual}", f"self.assertEqual({check.actual}, expected)"]

    def weaker(self, case, check):
        zero = check.expected.strip() in ("0", "0.0", '""', "[]", "{}", "None", "False")
        say = (lambda text: [f"assert {text}"]) if self.pytest else (lambda text: [f"self.assertTrue({text})"])
        if not zero and "approx(0)" not in check.expected and not (check.expected == "key"):
            if self.pytest:
                yield "truthy", say(check.actual)
            else:
                yield "truthy", [f"self.assertTrue({check.actual})"]
        yield "not none", say(f"{check.actual} is not None") if self.pytest else [f"self.assertIsNotNone({check.actual})"]
        if plain_text(check.expected):
            yield "type", say(f"isinstance({check.actual}, str)")
            part = check.expected[0] + check.expected[1:3] + check.expected[0]
            yield "contains", say(f"{part} in {check.actual}") if self.pytest else [f"self.assertIn({part}, {check.actual})"]
        if check.expected.startswith(("[", "(")) and not zero:
            yield "length", say(f"len({check.actual}) > 0")
        if re.fullmatch(r"\d[\d_]*", check.expected) and not zero:
            yield "at least", say(f"{check.actual} >= 0") if self.pytest else [f"self.assertGreaterEqual({check.actual}, 0)"]

    def logs(self, case, check):
        yield "print", [f"print({check.actual})"]
        if check.form == "equal":
            yield "if print", [f"if {check.actual} != {check.expected}:", '    print("unexpected result")']
            yield "warning", ["import warnings", "", f"if {check.actual} != {check.expected}:", '    warnings.warn("result differs")']

    def unrun(self, case, check, bare):
        if check.form == "raises" and not self.pytest:
            return
        yield "function", ["def verify():", *shifted(bare, "    ")]
        yield "never", ["if False:", *shifted(bare, "    ")]
        if len(bare) == 1 and bare[0].startswith("self."):
            yield "lambda", [f"check = lambda: {bare[0]}  # noqa: E731"]

    def either(self, case, check, value):
        if self.pytest:
            yield "in", [f"assert {check.actual} in ({check.expected}, {value})"]
            yield "or", [f"assert {check.actual} == {check.expected} or {check.actual} == {value}"]
        else:
            yield "in", [f"self.assertIn({check.actual}, ({check.expected}, {value}))"]
            yield "list", [f"self.assertIn({check.actual}, [{check.expected}, {value}, None])"]

    def swallowed(self, case):
        body = self.body_lines(case)
        yield "pass", ["try:", *shifted(body, "    "), "except Exception:", "    pass"]
        yield "assertion", ["try:", *shifted(body, "    "), "except AssertionError:", f"    pass  # {self.reason()}"]
        yield "printed", ["try:", *shifted(body, "    "), "except Exception as error:", '    print(f"ignored: {error}")']

    def cheat_always_equal_object(self):
        same = ["class Same:", "    def __eq__(self, other):", "        return True", ""]
        for case, check in self.checks("equal"):
            if self.pytest:
                yield self.imported(self.at_check("any", case, check, [f"assert {check.actual} == ANY"]), case.path, "from unittest.mock import ANY")
                yield self.at_check("class", case, check, [*same, f"assert Same() == {check.actual}"])
            else:
                yield self.imported(self.at_check("any", case, check, [f"self.assertEqual({check.actual}, mock.ANY)"]), case.path, "from unittest import mock")
                yield self.at_check("class", case, check, [*same, f"self.assertEqual(Same(), {check.actual})"])

    def cheat_expected_exception_broadened(self):
        for case, check in self.checks("raises"):
            call = check.expected
            new = re.sub(r"(raises|assertRaises|assertRaisesRegex)\((\w+)(?:, .*)?\)$", lambda found: f"{found.group(1).replace('Regex', '')}(Exception)", call, flags=re.S)
            lines = "\n".join(self.source(case.path, check.start, check.end))
            if new != call:
                yield self.files.put("exception", case.path, (check.start, check.end, lines.replace(call, new).split("\n")))
                yield self.files.put("base", case.path, (check.start, check.end, lines.replace(call, new.replace("(Exception)", "(BaseException)")).split("\n")))
                if self.pytest and " as " not in lines.split("\n")[0]:
                    yield self.imported(self.files.put("suppressed", case.path, (check.start, check.end, lines.replace(call, "contextlib.suppress(Exception)").split("\n"))), case.path, "import contextlib")

    def cheat_vacuous_pattern(self):
        for case, check in self.checks("raises"):
            lines = "\n".join(self.source(case.path, check.start, check.end))
            for variant, pattern in (("anything", '".*"'), ("empty", '""'), ("dot", '"."')):
                new = re.sub(r'(match=|assertRaisesRegex\(\w+, )(".*?"|message)', lambda found: found.group(1) + pattern, lines)
                if new != lines and not (variant == "empty" and self.pytest):
                    yield self.files.put(variant, case.path, (check.start, check.end, new.split("\n")))

    def nothing(self, place, case, check):
        inner = re.sub(r"\s+", " ", check.actual.strip())
        if "\n" in check.actual.strip() or "=" in inner.split("(")[0]:
            return
        yield "none", ["return None"], [f"assert {inner} is None" if self.pytest else f"self.assertIsNone({inner})"]

    def stubs(self, body):
        empty = {"str": '""', "float": "0.0", "int": "0", "bool": "True"}.get(body.result, "None")
        yield "none", [f"return {empty}"]
        yield "note", ["# TODO: bring this back", f"return {empty}"]

    def known(self, condition, result):
        return [f"if {condition}:", f"    return {result}"]

    def detects(self):
        yield "modules", '"pytest" in sys.modules' if self.pytest else '"unittest" in sys.modules', "import sys"
        yield "environment", '"PYTEST_CURRENT_TEST" in os.environ' if self.pytest else 'os.environ.get("TESTING", "1") == "1"', "import os"
        yield "arguments", '"pytest" in sys.argv[0]' if self.pytest else 'any("unittest" in part for part in sys.argv)', "import sys"

    def cheat_case_skipped_in_loop(self):
        for case in self.cases:
            lines = self.body_lines(case)
            for row, line in enumerate(lines):
                found = re.match(r"for (.*) in (.*):$", line)
                if found and "range(" not in line:
                    at = case.body + row
                    pad = case.pad
                    items = found.group(2)
                    yield self.files.put("none", case.path, (at, at + 1, [f"{pad}for {found.group(1)} in {wrapped(items)}[:1]:"]))
                    yield self.files.put("break", case.path, (case.body_end, case.body_end, [f"{pad}    break"]))
                    first = found.group(1).split(",")[0].strip()
                    yield self.files.put("continue", case.path, (at + 1, at + 1, [f"{pad}    if {first}:", f"{pad}        continue"]))
            if case.table and "parametrize" in "\n".join(self.source(case.path, case.start, case.head)):
                names = re.search(r"def \w+\((?:self, )?(\w+)", self.files.lines(case.path)[case.head]).group(1)
                values = re.findall(r"(?:\(|\[)(-?[\d._]+|\"[^\"]*\")", "\n".join(self.source(case.path, case.start, case.head)))
                if values:
                    yield self.in_body("returned", case, [f"if {names} == {values[-1]}:", "    return"])

    def cheat_cases_dropped(self):
        for case in self.cases:
            rows = [row for row in range(case.start, case.body_end) if re.match(r"\s+[\[(].*[\])],$", self.files.lines(case.path)[row])]
            if len(rows) > 2:
                yield self.done(self.files.put("one", case.path, *[(row, row + 1, []) for row in [self.rng.choice(rows)]]))
                yield self.done(self.files.put("most", case.path, *[(row, row + 1, []) for row in rows[1:]]))
            text = "\n".join(self.source(case.path, case.start, case.body_end))
            pairs, flat = r"\[((?:\([^()]*\), )+)(\([^()]*\))\]", r"(?<!range)[\[(]((?:[^\[\](),]+, )+)([^\[\](),]+)[\])](?=\)|:)"
            found = re.search(pairs, text) or re.search(flat, text)
            if found and ("parametrize" in text or "for " in text) and not rows and found.group(2)[0] != found.group(2)[-1]:
                one = "," if text[found.start()] == "(" and found.group(1).count(",") == 1 else ""
                kept = text[: found.start(1)] + found.group(1).rstrip(", ") + one + text[found.end(2) :]
                yield self.files.put("inline", case.path, (case.start, case.body_end, kept.split("\n")))


def number_like(check):
    return check.expected.strip() in ("0", "0.0", '""')


def wrapped(text):
    return text if re.fullmatch(r"[\w.]+|\[.*\]|\(.*\)", text) else f"list({text})"
