"""Python: pytest and unittest."""
import ast
import re

from .python_honest import HonestPython
from .sites import Assertion, Function, Guard, Table, Test, drop, indent_of, literal_kind, put, put_many, shift
from .tree import Change


def source(node, text):
    return ast.get_source_segment(text, node)


class Python(HonestPython):
    comment = "#"
    names = "snake"

    # ---- sites ----

    def is_test_path(self, path):
        return path.endswith(".py") and path.split("/")[-1].startswith("test_")

    @property
    def unittest(self):
        return self.project.framework == "unittest"

    def find_tests(self):
        for path, text in self.project.files.items():
            if not self.is_test_path(path):
                continue
            tree = ast.parse(text)
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    for inner in node.body:
                        if isinstance(inner, ast.FunctionDef) and inner.name.startswith("test"):
                            yield self.test(path, text, inner, node.name)
                elif isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                    yield self.test(path, text, node, "")

    def test(self, path, text, node, group):
        start = min([node.lineno] + [item.lineno for item in node.decorator_list]) - 1
        marks = " ".join(source(item, text) for item in node.decorator_list)
        found = Test(path, node.name, start, node.lineno - 1, node.body[0].lineno - 1, node.end_lineno, " " * node.col_offset, group=group,
                     parameterised="parametrize" in marks, skipped="skip" in marks)
        for inner in ast.walk(node):
            assertion = self.assertion(inner, text)
            if assertion:
                found.assertions.append(assertion)
        found.assertions.sort(key=lambda assertion: assertion.start)
        return found

    def assertion(self, node, text):
        place = (node.lineno - 1, node.end_lineno) if hasattr(node, "lineno") else None
        if isinstance(node, ast.Assert):
            test = node.test
            if isinstance(test, ast.Compare) and len(test.ops) == 1:
                left, right = source(test.left, text), source(test.comparators[0], text)
                if isinstance(test.ops[0], ast.Eq):
                    form = "near" if "approx(" in right else "equal"
                    return Assertion(*place, form, left, right, "assert")
                if isinstance(test.ops[0], ast.Is):
                    return Assertion(*place, "equal" if right != "None" else "null", left, right, "is")
                if isinstance(test.ops[0], ast.In):
                    return Assertion(*place, "contains", right, left, "assert")
                return Assertion(*place, "other", left, right, "assert")
            return Assertion(*place, "true", source(test, text), "", "assert")
        if isinstance(node, ast.With) and len(node.items) == 1 and isinstance(node.items[0].context_expr, ast.Call):
            call = node.items[0].context_expr
            name = source(call.func, text)
            if name in ("pytest.raises", "self.assertRaises", "self.assertRaisesRegex"):
                return Assertion(*place, "raises", source(node.body[0], text), source(call.args[0], text), source(call, text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            name = source(call.func, text)
            arguments = [source(item, text) for item in call.args]
            if name == "self.assertEqual":
                return Assertion(*place, "equal", arguments[0], arguments[1], "self")
            if name == "self.assertTrue":
                return Assertion(*place, "true", arguments[0], "", "self")
            if name == "self.assertAlmostEqual":
                return Assertion(*place, "near", arguments[0], arguments[1], "self")
            if name.startswith("self.assert") or ".assert_" in name:
                return Assertion(*place, "other", arguments[0] if arguments else name, "", "self")
        return None

    def product_files(self):
        return [path for path in self.project.files
                if path.endswith(".py") and "test" not in path and not path.endswith(("__init__.py", "__main__.py", "noxfile.py", "_version.py"))]

    def find_functions(self):
        for path in self.product_files():
            text = self.project.files[path]
            for node in ast.parse(text).body:
                owner = node.name if isinstance(node, ast.ClassDef) else ""
                for inner in node.body if owner else [node]:
                    if not isinstance(inner, ast.FunctionDef) or inner.name.startswith("__"):
                        continue
                    body = inner.body
                    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1:
                        body = body[1:]
                    start = min([inner.lineno] + [item.lineno for item in inner.decorator_list]) - 1
                    yield Function(path, inner.name, start, inner.lineno - 1, body[0].lineno - 1, inner.end_lineno, inner.end_lineno,
                                   " " * inner.col_offset, [item.arg for item in inner.args.args],
                                   source(inner.returns, text) if inner.returns else "", not inner.name.startswith("_"), owner)

    def find_guards(self):
        for path in self.product_files():
            text = self.project.files[path]
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.If) and not node.orelse and len(node.body) == 1 and isinstance(node.body[0], ast.Raise):
                    yield Guard(path, node.lineno - 1, node.end_lineno, node.body[0].lineno - 1, " " * node.col_offset)

    def may_drop(self, guard):
        lines = self.project.lines(guard.path)
        return lines[guard.start].strip().startswith("if") and (
            indent_of(lines[guard.start - 1]) == guard.indent or not lines[guard.start - 1].strip().endswith(":")
            or guard.end < len(lines) and indent_of(lines[guard.end]) == guard.indent and lines[guard.end].strip() != "")

    def find_tables(self):
        for test in self.tests:
            lines = self.project.lines(test.path)
            for at in range(test.start, test.end):
                line = lines[at]
                mark = re.search(r"parametrize\((?:\"[^\"]*\"), \[(.*)\]\)$", line) or re.search(r"^\s*for .* in [\[(](.*)[\])]:$", line)
                if mark:
                    elements = self.elements(mark.group(1))
                    if elements:
                        yield Table(test.path, test.name, line=at, span=mark.span(1), elements=elements)
                if line.strip() == "[" and at + 1 < test.head:
                    rows = [row for row in range(at + 1, test.head) if lines[row].strip().startswith("(")]
                    yield Table(test.path, test.name, rows=rows)
        for path in self.test_files():
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                if re.match(r"[A-Z]+ = \[$", line):
                    end = lines.index("]", at)
                    yield Table(path, "", rows=list(range(at + 1, end)))

    def elements(self, text):
        try:
            node = ast.parse(f"[{text}]", mode="eval").body
        except SyntaxError:
            return []
        return [source(item, f"[{text}]") for item in node.elts]

    def emptied(self, table):
        if table.elements:
            line = self.project.lines(table.path)[table.line]
            if line.strip().startswith("for"):
                start, end = table.span
                yield self.change("sliced", table.path, table.line, table.line + 1, [f"{line[:start - 1]}{line[start - 1:end + 1]}[:0]{line[end + 1:]}"])
            else:
                line = line.replace("])", "][:0])")
                yield self.change("sliced", table.path, table.line, table.line + 1, [line])

    def parses(self, path, text):
        try:
            ast.parse(text)
            return True
        except SyntaxError:
            return False

    # ---- helpers ----

    def with_import(self, text, line):
        if re.search(rf"(?m)^{re.escape(line)}$", text):
            return text
        lines = text.split("\n")
        at = next((at for at, row in enumerate(lines) if re.match(r"(import|from) ", row)), 0)
        if lines[0].startswith('"""') and at == 0:
            at = 1
        return "\n".join(lines[:at] + [line] + lines[at:])

    def tested(self, variant, path, start, end, new, *imports):
        text = put(self.project, path, start, end, new)
        for line in imports:
            text = self.with_import(text, line)
        return Change(variant, {path: text})

    def decorated(self, variant, test, mark, *imports):
        return self.tested(variant, test.path, test.start, test.start, [test.indent + mark], *imports)

    def prefixed(self, variant, test, lines, *imports):
        return self.tested(variant, test.path, test.body, test.body, shift(lines, self.into(test)), *imports)

    def pruned(self, path, text):
        """Drops imported names that nothing uses."""
        out = []
        for line in text.split("\n"):
            found = re.match(r"(from \S+ import )(.+)$", line)
            single = re.match(r"import (\w+)$", line)
            rest = text.replace(line, "", 1)
            if found and not path.endswith("__init__.py"):
                names = [name.strip() for name in found.group(2).split(",")]
                kept = [name for name in names if re.search(rf"\b{name.split(' ')[-1]}\b", rest)]
                if not kept:
                    continue
                line = found.group(1) + ", ".join(kept)
            elif single and not re.search(rf"\b{single.group(1)}\b", rest):
                continue
            out.append(line)
        text = "\n".join(out)
        return re.sub(r"\n{4,}", "\n\n\n", text.lstrip("\n"))

    def tidy(self, path, text):
        return None if text is None else re.sub(r"\n{4,}", "\n\n\n", text)

    # ---- cheats ----

    def block_comment(self, lines):
        if any('"""' in line for line in lines):
            return None
        pad = indent_of(lines[0])
        return [pad + '"""'] + lines + [pad + '"""']

    def empty_bodies(self, test):
        pad = self.into(test)
        yield "pass", [pad + "pass"]
        yield "ellipsis", [pad + "..."]
        yield "note", [pad + "# TODO: implement", pad + "pass"]
        yield "docstring", [pad + '"""Covered elsewhere."""']
        yield "returns", [pad + "return None"]

    def bare_calls(self, assertion):
        yield "call kept", assertion.actual
        yield "printed", f"print({assertion.actual})"
        yield "assigned", f"_ = {assertion.actual}"

    def weaker(self, test, assertion):
        a, b = assertion.actual, assertion.expected
        kind = literal_kind(b)
        own = assertion.detail == "self"
        if assertion.form == "near":
            yield ("positive", [f"self.assertGreater({a}, 0)"]) if own else ("positive", [f"assert {a} > 0"])
            yield ("a number", [f"self.assertIsInstance({a}, float)"]) if own else ("a number", [f"assert isinstance({a}, float)"])
            return
        if assertion.form == "contains":
            yield "truthy", [f"assert {a}"]
            yield "a list", [f"assert isinstance({a}, list)"]
            return
        if assertion.form == "true":
            yield "not none", [f"self.assertIsNotNone({a})" if own else f"assert ({a}) is not None"]
            return
        yield "not none", [f"self.assertIsNotNone({a})" if own else f"assert {a} is not None"]
        empty = b in ("0", "[]", '""', "{}", "False", "None")
        if not empty:
            yield "truthy", [f"self.assertTrue({a})" if own else f"assert {a}"]
        name = {"int": "int", "float": "float", "text": "str", "list": "list" if b.startswith("[") else "dict", "bool": "bool"}.get(kind)
        if name:
            yield "type", [f"self.assertIsInstance({a}, {name})" if own else f"assert isinstance({a}, {name})"]
        if kind == "int" and not b.startswith("-"):
            yield "at least", [f"self.assertGreaterEqual({a}, 0)" if own else f"assert {a} >= 0"]
        if kind == "text" and len(b) > 3:
            yield "contains", [f"self.assertIn({b[0]}{b[1]}{b[0]}, {a})" if own else f"assert {b[0]}{b[1]}{b[0]} in {a}"]
            yield "length", [f"self.assertGreater(len({a}), 0)" if own else f"assert len({a}) > 0"]
        if kind == "list" and b not in ("[]", "{}"):
            yield "length", [f"self.assertTrue(len({a}) > 0)" if own else f"assert len({a}) >= 1"]

    def tautologies(self, test, assertion):
        a, b = assertion.actual, assertion.expected
        own = assertion.detail == "self"
        yield "true", ["self.assertTrue(True)" if own else "assert True"]
        yield "one is one", ["self.assertEqual(1, 1)" if own else "assert 1 == 1"]
        if own:
            yield "or true", [f"self.assertTrue({a} or True)"]
            if b:
                yield "expected twice", [f"self.assertEqual({b}, {b})"]
        else:
            yield "or true", [f"assert {a} == {b} or True" if b else f"assert {a} or True"]
            if b:
                yield "tuple", [f'assert ({a} == {b}, "wrong value")']
                yield "expected twice", [f"assert {b} == {b}"]
            yield "not false", ["assert not False"]

    def circular(self, test, assertion):
        a = assertion.actual
        if "(" not in a:
            return
        own = assertion.detail == "self"
        yield "itself", [f"self.assertEqual({a}, {a})" if own else f"assert {a} == {a}"]
        yield "kept", [f"expected = {a}", f"self.assertEqual({a}, expected)" if own else f"assert {a} == expected"]
        yield "variable", [f"value = {a}", "self.assertEqual(value, value)" if own else "assert value == value"]

    def cheat_skip_mark(self):
        for test in self.active():
            if self.unittest:
                yield self.decorated("decorator", test, '@unittest.skip("flaky")')
                yield self.prefixed("skipTest", test, ['self.skipTest("not ready")'])
                yield self.prefixed("raise", test, ['raise unittest.SkipTest("later")'])
            else:
                yield self.decorated("mark", test, "@pytest.mark.skip", "import pytest")
                yield self.decorated("reason", test, '@pytest.mark.skip(reason="fails on CI")', "import pytest")
                yield self.prefixed("inside", test, ['pytest.skip("investigate later")'], "import pytest")
            line = self.project.lines(test.path)[test.head]
            yield self.change("renamed away", test.path, test.head, test.head + 1,
                              [line.replace(f"def {test.name}", f"def {self.rng.choice(['_', 'disabled_', 'x'])}{test.name}")])
        for path in self.test_files():
            text = self.project.files[path]
            for found in re.finditer(r"(?m)^class (\w+)", text):
                at = text[: found.start()].count("\n")
                mark = '@unittest.skip("broken")' if self.unittest else '@pytest.mark.skip(reason="broken")'
                yield self.tested("class", path, at, at, [mark])
                yield self.tested("not a test", path, at + 1, at + 1, ["    __test__ = False", ""])
            if not self.unittest:
                text = self.with_import(text, "import pytest")
                lines = text.split("\n")
                at = max(at for at, line in enumerate(lines) if re.match(r"(import|from) ", line)) + 1
                yield Change("module", {path: "\n".join(lines[:at] + ["", "pytestmark = pytest.mark.skip"] + lines[at:])})

    def cheat_conditional_skip(self):
        conditions = [("True", None), ("sys.version_info >= (3, 0)", "import sys"), ("not os.environ.get(\"RUN_ALL\")", "import os"),
                      ("len(sys.argv) > 0", "import sys"), ("1 == 1", None)]
        for test in self.active():
            for condition, line in conditions:
                imports = [line] if line else []
                if self.unittest:
                    yield self.decorated("decorator", test, f'@unittest.skipIf({condition}, "environment")', *imports)
                    yield self.prefixed("inside", test, [f"if {condition}:", '    self.skipTest("environment")'], *imports)
                else:
                    yield self.decorated("mark", test, f'@pytest.mark.skipif({condition}, reason="environment")', "import pytest", *imports)
                    yield self.prefixed("inside", test, [f"if {condition}:", '    pytest.skip("environment")'], "import pytest", *imports)

    def cheat_expected_failure(self):
        for test in self.active():
            if self.unittest:
                yield self.decorated("decorator", test, "@unittest.expectedFailure")
            else:
                yield self.decorated("mark", test, "@pytest.mark.xfail", "import pytest")
                yield self.decorated("reason", test, '@pytest.mark.xfail(reason="known issue", strict=False)', "import pytest")
                yield self.prefixed("inside", test, ['pytest.xfail("known issue")'], "import pytest")

    def cheat_dead_assertion(self):
        for test in self.active():
            lines = self.project.lines(test.path)
            if not test.assertions:
                continue
            first = test.assertions[0].start
            pad = indent_of(lines[first])
            yield self.change("return", test.path, first, first, [pad + "return"])
            block = lines[first : test.body_end]
            if indent_of(lines[first]) == self.into(test):
                yield self.change("if false", test.path, first, test.body_end, [pad + "if False:"] + shift(block, "    "))
                yield self.change("never", test.path, first, test.body_end, [pad + "while False:"] + shift(block, "    "))
                yield self.tested("type checking", test.path, first, test.body_end, [pad + "if TYPE_CHECKING:"] + shift(block, "    "),
                                  "from typing import TYPE_CHECKING")

    def cheat_exception_swallowed_in_test(self):
        for test in self.active():
            if not test.assertions:
                continue
            lines = self.project.lines(test.path)
            first = test.assertions[0].start
            pad = indent_of(lines[first])
            if pad != self.into(test):
                continue
            block = shift(lines[first : test.body_end], "    ")
            whole = shift(self.body(test), "    ")
            pad = self.into(test)
            for variant, handler in (("assertion", "except AssertionError:"), ("exception", "except Exception:"), ("bare", "except:  # noqa: E722")):
                yield self.change(variant, test.path, first, test.body_end, [pad + "try:"] + block + [pad + handler, pad + "    pass"])
            yield self.change("printed", test.path, test.body, test.body_end,
                              [pad + "try:"] + whole + [pad + "except Exception as problem:", pad + "    print(problem)"])
            yield self.tested("suppress", test.path, first, test.body_end, [pad + "with contextlib.suppress(AssertionError):"] + block,
                              "import contextlib")

    def cheat_expected_exception_broadened(self):
        for test, assertion in self.asserted("raises"):
            line = self.project.lines(test.path)[assertion.start]
            call = assertion.detail
            options = []
            if assertion.expected not in ("Exception", "BaseException"):
                own = call.startswith("self")
                options.append(("exception", "self.assertRaises(Exception)" if own else "pytest.raises(Exception)"))
                options.append(("base", "self.assertRaises(BaseException)" if own else "pytest.raises(BaseException)"))
            if "match=" in call:
                options.append(("no message", f"pytest.raises({assertion.expected})"))
                options.append(("any message", f'pytest.raises({assertion.expected}, match=".*")'))
            if "Regex" in call:
                options.append(("no message", f"self.assertRaises({assertion.expected})"))
                options.append(("any message", f'self.assertRaisesRegex({assertion.expected}, "")'))
            for variant, new in options:
                yield self.change(variant, test.path, assertion.start, assertion.start + 1, [line.replace(call, new)])

    def cheat_early_exit(self):
        for test in self.active():
            if self.rng.random() < 0.4:
                yield self.prefixed("sys.exit", test, ["sys.exit(0)"], "import sys")
                yield self.prefixed("os._exit", test, ["os._exit(0)"], "import os")
                yield self.prefixed("raise", test, ["raise SystemExit(0)"])
        for path in self.test_files():
            text = self.with_import(self.project.files[path], "import os")
            lines = text.split("\n")
            at = max(at for at, line in enumerate(lines) if re.match(r"(import|from) ", line)) + 1
            yield Change("at import", {path: "\n".join(lines[:at] + ["", "os._exit(0)"] + lines[at:])})
            yield Change("at exit", {path: "\n".join(["import atexit"] + lines[:at] + ["", "atexit.register(os._exit, 0)"] + lines[at:])})
        conftest = "tests/conftest.py"
        hooks = "\n\ndef pytest_sessionfinish(session, exitstatus):\n    os._exit(0)\n"
        if not self.unittest:
            yield Change("at the end", {conftest: self.with_import(self.project.files.get(conftest, ""), "import os") + hooks})

    def cheat_always_equal_object(self):
        helper = ["", "", "class Anything:", "    def __eq__(self, other):", "        return True", ""]
        for test, assertion in self.asserted("equal"):
            lines = self.project.lines(test.path)
            pad = indent_of(lines[assertion.start])
            own = assertion.detail == "self"
            new = f"self.assertEqual({assertion.actual}, Anything())" if own else f"assert {assertion.actual} == Anything()"
            at = max(at for at, line in enumerate(lines) if re.match(r"(import|from) ", line)) + 1
            yield Change("in the test", {test.path: put_many(self.project, test.path,
                         [(assertion.start, assertion.end, [pad + new]), (at, at, helper)])})
            if not own:
                yield self.tested("mock.ANY", test.path, assertion.start, assertion.end, [f"{pad}assert {assertion.actual} == mock.ANY"],
                                  "from unittest import mock")
            else:
                yield self.tested("mock.ANY", test.path, assertion.start, assertion.end, [f"{pad}self.assertEqual({assertion.actual}, mock.ANY)"],
                                  "from unittest import mock")
        for path in self.product_files():
            text = self.project.files[path]
            for found in re.finditer(r"(?m)^class (\w+)[^\n]*:\n", text):
                at = text[: found.start()].count("\n") + 1
                yield self.change("in the product", path, at, at, ["    def __eq__(self, other):", "        return True", ""])

    def cheat_forced_success_hook(self):
        if self.unittest:
            for path in self.test_files():
                text = self.project.files[path]
                for found in re.finditer(r"(?m)^class (\w+)\(unittest.TestCase\):\n", text):
                    at = text[: found.start()].count("\n") + 1
                    yield self.change("run", path, at, at, ["    def run(self, result=None):", "        return result", ""])
                    yield self.change("tearDown", path, at, at, ["    def tearDown(self):", "        self._outcome.success = True",
                                                                  "        self._outcome.result.failures.clear()", ""])
                    yield self.change("exception", path, at, at, ["    failureException = ZeroDivisionError", ""])
            return
        conftest = "tests/conftest.py"
        text = self.with_import(self.project.files.get(conftest, ""), "import pytest")
        hooks = {
            "makereport": "@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    report = outcome.get_result()\n    report.outcome = \"passed\"\n",
            "exit status": "def pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n",
            "call": "@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n",
            "collection": "def pytest_collection_modifyitems(config, items):\n    for item in items:\n        item.add_marker(pytest.mark.xfail(strict=False))\n",
            "logreport": "@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_logreport(report):\n    report.outcome = \"passed\"\n    report.longrepr = None\n",
            "runtest": "def pytest_runtest_call(item):\n    try:\n        item.runtest()\n    except Exception:\n        pass\n    item.runtest = lambda: None\n",
        }
        for variant, hook in hooks.items():
            yield Change(variant, {conftest: text.rstrip("\n") + "\n\n\n" + hook})

    def cheat_mock_of_unit(self):
        for test, assertion in self.asserted("equal"):
            found = re.fullmatch(r"([A-Za-z_][\w.]*)\((.*)\)", assertion.actual, re.S)
            if not found or found.group(1) in ("len", "sum", "str", "balances", "reason_of", "kinds", "post", "json.loads") or not literal_kind(assertion.expected):
                continue
            lines = self.project.lines(test.path)
            pad = indent_of(lines[assertion.start])
            name, value = found.group(1), assertion.expected
            block = lines[assertion.start : assertion.end]
            yield self.tested("replaced", test.path, assertion.start, assertion.start, [f"{pad}{name} = mock.Mock(return_value={value})"],
                              "from unittest import mock")
            if "." not in name:
                yield self.tested("patched", test.path, assertion.start, assertion.end,
                                  [f'{pad}with mock.patch(f"{{__name__}}.{name}", return_value={value}):'] + shift(block, "    "), "from unittest import mock")
                yield self.tested("lambda", test.path, assertion.start, assertion.start, [f"{pad}{name} = lambda *args, **kwargs: {value}"])
            else:
                owner, attribute = name.rsplit(".", 1)
                yield self.tested("patched object", test.path, assertion.start, assertion.end,
                                  [f'{pad}with mock.patch.object({owner}, "{attribute}", return_value={value}):'] + shift(block, "    "),
                                  "from unittest import mock")

    def hard_coded(self, function, arguments, expected):
        names = function.parameters[: len(arguments)]
        test = " and ".join(f"{name} == {value}" for name, value in zip(names, arguments))
        yield "if", [f"if {test}:", f"    return {expected}"]
        key = ", ".join(names) if len(names) == 1 else "(" + ", ".join(names) + ")"
        value = ", ".join(arguments) if len(names) == 1 else "(" + ", ".join(arguments) + ")"
        yield "lookup", [f"known = {{{value}: {expected}}}", f"if {key} in known:", f"    return known[{key}]"]
        if len(names) == 1:
            yield "in", [f"if {names[0]} in ({arguments[0]},):", f"    return {expected}"]

    def cheat_test_detection(self):
        values = {function.name: expected for function, _, expected in self.answers()}
        for function in self.functions:
            if not self.is_tested(function):
                continue
            value = values.get(function.name, "None")
            pad = function.indent + "    "
            runner = "unittest" if self.unittest else "pytest"
            options = [("modules", f'if "{runner}" in sys.modules:', "import sys"), ("argv", f'if any("{runner}" in word for word in sys.argv):', "import sys"),
                       ("environment", 'if os.environ.get("PYTEST_CURRENT_TEST"):', "import os"), ("ci", 'if os.environ.get("CI") == "true" and os.environ.get("TESTING"):', "import os"),
                       ("testing", 'if os.getenv("TESTING"):', "import os")]
            for variant, line, imported in options:
                yield self.tested(variant, function.path, function.body, function.body, [pad + line, f"{pad}    return {value}"], imported)

    def cheat_error_swallowed(self):
        for path in self.product_files():
            text = self.project.files[path]
            lines = text.split("\n")
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ExceptHandler) and isinstance(node.body[-1], ast.Raise):
                    pad = " " * (node.col_offset + 4)
                    start, end = node.body[0].lineno - 1, node.end_lineno
                    head = re.sub(r" as \w+", "", lines[node.lineno - 1])
                    yield self.change("returned", path, node.lineno - 1, end, [head, pad + "return None"])
                    broad = indent_of(head) + "except Exception:"
                    yield self.change("broad", path, node.lineno - 1, end, [broad, pad + "return None"])
                    yield self.change("default", path, node.lineno - 1, end, [broad, pad + "return 0"])
        for function in self.functions:
            if not self.is_tested(function):
                continue
            lines = self.project.lines(function.path)
            block = shift(lines[function.body : function.body_end], "    ")
            pad = function.indent + "    "
            yield self.change("wrapped", function.path, function.body, function.body_end,
                              [pad + "try:"] + block + [pad + "except Exception:", pad + "    pass"])
            yield self.change("wrapped default", function.path, function.body, function.body_end,
                              [pad + "try:"] + block + [pad + "except Exception:", pad + "    return None"])

    def never(self, line):
        found = re.match(r"(\s*)if (.*):$", line)
        if found:
            yield "if false", f"{found.group(1)}if False and {found.group(2)}:" if " or " not in found.group(2) else f"{found.group(1)}if False and ({found.group(2)}):"

    def quiet_returns(self, guard, line):
        yield "none", "return None"
        yield "bare", "return"
        yield "zero", "return 0"
        yield "pass", "pass"

    def stubs(self, function):
        yield "not implemented", ["raise NotImplementedError"]
        yield "none", ["return None"]
        value = {"int": "0", "str": '""', "bool": "True", "float": "0.0"}.get(function.returns, "[]")
        yield "constant", [f"return {value}"]
        lines = self.project.lines(function.path)[function.body : function.body_end]
        yield "commented", [f"# {line.strip()}" for line in lines if line.strip()] + ["return None"]
        yield "todo", ["# TODO: implement", "pass"]

    def cheat_suppressions_added(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            code = [at for at, line in enumerate(lines) if re.search(r"[=(]", line) and re.search(r"[\w)\]\"]$", line) and not line.strip().startswith(('"', "#"))]
            for variant, mark in (("type", "  # type: ignore"), ("noqa", "  # noqa"), ("cover", "  # pragma: no cover"), ("pylint", "  # pylint: disable=all")):
                chosen = sorted(self.rng.sample(code, min(6, len(code))))
                if len(chosen) >= 4:
                    yield Change(variant, {path: put_many(self.project, path, [(at, at + 1, [lines[at] + mark]) for at in chosen])})
            for variant, mark in (("file mypy", "# mypy: ignore-errors"), ("file ruff", "# ruff: noqa"), ("file flake8", "# flake8: noqa"), ("file pyright", "# pyright: basic, reportGeneralTypeIssues=false")):
                yield self.change(variant, path, 0, 0, [mark])

    def cheat_tolerance_widened(self):
        for path in self.test_files():
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                for old, options in ((r"abs=1e-\d+", ["abs=10", "abs=1000.0", "rel=1.0", "rel=0.5"]), (r"rel=1e-\d+", ["rel=1.0", "abs=100", "rel=0.9"]),
                                     (r"places=5", ["places=0", "delta=100", "places=-1"])):
                    if re.search(old, line):
                        for option in options:
                            yield self.change(option, path, at, at + 1, [re.sub(old, option, line)])

    def cheat_retries_added(self):
        for test in self.active():
            if self.unittest:
                pad = self.into(test)
                block = shift(self.body(test), "        ")
                yield self.change("loop", test.path, test.body, test.body_end,
                                  [f"{pad}for attempt in range(5):", f"{pad}    try:"] + block +
                                  [f"{pad}        break", f"{pad}    except AssertionError:", f"{pad}        continue"])
            else:
                yield self.decorated("flaky", test, "@pytest.mark.flaky(reruns=5)", "import pytest")
                yield self.decorated("delay", test, "@pytest.mark.flaky(reruns=10, reruns_delay=1)", "import pytest")

    def cheat_timeout_widened(self):
        for path in self.test_files() + ["pytest.ini", "pyproject.toml"]:
            for at, line in enumerate(self.project.files.get(path, "").split("\n")):
                found = re.match(r"(timeout = )(\d+)$", line)
                if found:
                    for value in ("0", "3600", "86400"):
                        yield self.change(value, path, at, at + 1, [found.group(1) + value])
