"""Kinds that only the fresh part of the corpus has: nobody saw them when the rules were written."""
import re

from .go import Go
from .javascript import JavaScript
from .python import Python
from .rust import Rust
from .sites import block_end, drop, indent_of, literal_kind, other_value, put, put_many, shift, split_arguments
from .tree import Change

KINDS = {  # cases of one kind in one project, when it is one of these
    True: {
        "answers_table", "any_of_several", "assertion_behind_flag", "assertion_library_patched", "both_sides_truncated",
        "check_off_in_tests", "doc_example_disabled", "golden_rerecorded", "length_instead_of_content", "property_cases_reduced",
        "rows_made_identical", "runner_misses_test", "time_limit_widened", "unequal_to_nonsense",
    },
    False: {
        "assertions_reordered", "assertions_to_table", "condition_rewritten", "logging_added", "product_moved", "property_test_added",
        "random_seeded", "setup_hoisted", "test_split", "tests_parallel", "unused_helper_removed", "validation_extracted",
    },
}


class Fresh:
    """What the languages share; each says how it writes things."""

    # ---- what a language says: lines for an assertion, or None ----

    def flagged(self, test, lines):
        return ()

    def any_of(self, test, assertion, values):
        return None

    def of_length(self, test, assertion, count):
        return None

    def truncated(self, test, assertion):
        return None

    def unequal(self, test, assertion, value):
        return None

    def recorded(self, test, assertion):
        return ()

    def outside_tests(self, condition):
        return ()

    def known(self, function, answers):
        return None

    reduced = ()  # (pattern, replacement) for the number of runs of a property
    limits = ()  # (pattern, replacements) for a limit of time
    seeds = ()  # (pattern, replacement) for a source of random numbers

    # ---- cheats ----

    def in_test(self, variant, test, assertion, lines):
        pad = indent_of(self.project.lines(test.path)[assertion.start])
        return self.change(variant, test.path, assertion.start, assertion.end, shift(lines, pad))

    def plain_equal(self, *kinds):
        """Equalities of a call and a literal."""
        for test, assertion in self.asserted("equal"):
            if literal_kind(assertion.expected) in kinds and "(" in assertion.actual:
                yield test, assertion

    def cheat_assertion_behind_flag(self):
        for test, assertion in self.asserted("equal", "true", "near", "contains"):
            lines = self.project.lines(test.path)[assertion.start : assertion.end]
            pad = indent_of(lines[0])
            bare = [line[len(pad):] for line in lines]
            for variant, new in self.flagged(test, bare):
                yield self.in_test(variant, test, assertion, new)

    def cheat_any_of_several(self):
        for test, assertion in self.plain_equal("int", "text"):
            other, third = other_value(assertion.expected, self.rng), other_value(assertion.expected, self.rng)
            for variant, values in (("two", [other]), ("three", [other, third])):
                if all(values) and len({*values, assertion.expected}) == len(values) + 1:
                    lines = self.any_of(test, assertion, [assertion.expected, *values])
                    if lines:
                        yield self.in_test(variant, test, assertion, lines)

    def cheat_length_instead_of_content(self):
        for test, assertion in self.plain_equal("text", "list"):
            value = assertion.expected
            if literal_kind(value) == "text":
                if "\\" in value or not value.isascii() or len(value) < 4:
                    continue
                count = len(value) - 2
            else:
                inner = re.fullmatch(r"(?:vec!|\[\]\w+)?[\[{](.*)[\]}]", value, re.S).group(1)
                count = len(split_arguments(inner))
                if count == 0 or value.startswith("{") and self.project.language != "python":
                    continue
            lines = self.of_length(test, assertion, count)
            if lines:
                yield self.in_test(literal_kind(value), test, assertion, lines)

    def cheat_both_sides_truncated(self):
        for test, assertion in self.plain_equal("text"):
            if len(assertion.expected) > 4 and assertion.expected.isascii() and "\\" not in assertion.expected:
                lines = self.truncated(test, assertion)
                if lines:
                    yield self.in_test("first letter", test, assertion, lines)

    def cheat_unequal_to_nonsense(self):
        for test, assertion in self.plain_equal("int", "text", "list"):
            value = other_value(assertion.expected, self.rng)
            lines = self.unequal(test, assertion, value) if value else None
            if lines:
                yield self.in_test(literal_kind(value), test, assertion, lines)

    def cheat_golden_rerecorded(self):
        for test, assertion in self.plain_equal("int", "text", "list"):
            for variant, change in self.recorded(test, assertion):
                yield change

    def cheat_check_off_in_tests(self):
        for guard in self.guards:
            line = self.project.lines(guard.path)[guard.start]
            found = re.match(r"(\s*)if (.*?)( \{|:)$", line)
            if not found:
                continue
            for variant, change in self.outside_tests(guard, *found.groups()):
                yield change

    def cheat_answers_table(self):
        by_name = {}
        for function, arguments, expected in self.answers():
            if len(arguments) == 1 and len(function.parameters) == 1 and literal_kind(expected) in ("int", "text", "bool"):
                by_name.setdefault(function.name, (function, []))[1].append((arguments[0], expected))
        for function, answers in by_name.values():
            answers = list(dict(answers).items())
            if len(answers) > 1:
                for variant, part in (("all", answers), ("some", answers[:-1])):
                    if len(part) > 1 or variant == "all":
                        change = self.known(function, part)
                        if change:
                            yield change

    def replaced(self, variant, path, pattern, new):
        """One change for each place of the pattern in a file."""
        text = self.project.files[path]
        for found in re.finditer(pattern, text):
            yield Change(variant, {path: text[: found.start()] + found.expand(new) + text[found.end() :]})

    def cheat_snapshot_regenerated(self):
        return ()  # these projects have no snapshots

    def cheat_property_cases_reduced(self):
        for path in self.test_files():
            for number, (pattern, new) in enumerate(self.reduced):
                yield from self.replaced(f"form {number}", path, pattern, new)

    def cheat_time_limit_widened(self):
        for path in self.test_files():
            for pattern, options in self.limits:
                for new in options:
                    yield from self.replaced(new, path, pattern, new)

    def cheat_rows_made_identical(self):
        for table in self.tables:
            lines = self.project.lines(table.path)
            if len(table.rows) > 1:
                for first in (table.rows[0], table.rows[-1]):
                    parts = [(row, row + 1, [self.copied(lines[first], lines[row])]) for row in table.rows]
                    yield Change("rows", {table.path: put_many(self.project, table.path, parts)})
            elif len(table.elements) > 1:
                yield self.with_elements("elements", table, [table.elements[0]] * len(table.elements))

    def copied(self, first, row):
        """The first row under the name of another, when rows have names."""
        name = r'^(\t+\{)("[^"]*"), (.*, .*)$'
        if re.match(name, first) and re.match(name, row):
            return re.match(name, row).group(1) + re.match(name, row).group(2) + ", " + re.match(name, first).group(3)
        return first

    # ---- honest changes ----

    def assertions_at_end(self, test):
        """The assertions when the body is preparation followed by assertions and nothing else."""
        lines = self.project.lines(test.path)
        found = [item for item in test.assertions if item.form != "panics"]
        if len(found) < 2 or any(first.end != second.start for first, second in zip(found, found[1:])):
            return []
        pad = self.into(test)
        if found[-1].end != test.body_end or any(indent_of(lines[item.start]) != pad for item in found):
            return []
        return found

    def honest_test_split(self):
        for test in self.active():
            found = self.assertions_at_end(test)
            lines = self.project.lines(test.path)
            # Only calls of product functions: what a method returns may hang on the calls before it.
            if not found or test.parameterised or any(item.form not in ("equal", "near") or not self.call(item.actual) for item in found):
                continue
            for at in range(1, len(found)):
                before = lines[test.start : found[at].start] + lines[test.body_end : test.end]
                head = [line.replace(test.name, self.further(test.name), 1) for line in lines[test.start : test.body]]
                after = head + lines[test.body : found[0].start] + lines[found[at].start : test.end]
                setup = "\n".join(lines[test.body : found[0].start])
                halves = ("\n".join(lines[found[0].start : found[at].start]), "\n".join(lines[found[at].start : test.body_end]))
                names = re.findall(r"(?m)^\s*(?:const |let mut |let )?(\w+)(?:: [^=]+)? :?= ", setup)
                if re.search(r"(?m)^\s*(\w+), \w+ :?=", setup) or any(not re.search(rf"\b{name}\b", half) for name in names for half in halves):
                    continue
                gap = ["", ""] if self.project.language == "python" and not test.indent else [""]
                yield self.change(f"at {at}", test.path, test.start, test.end, before + gap + after)

    def further(self, name):
        return {"text": f"{name}, further", "snake": f"{name}_further"}.get(self.names, f"{name}Further")

    def honest_assertions_reordered(self):
        for test in self.active():
            lines = self.project.lines(test.path)
            for first, second in zip(test.assertions, test.assertions[1:]):
                if first.end == second.start and self.call(first.actual) and self.call(second.actual) and indent_of(lines[first.start]) == indent_of(lines[second.start]):
                    yield self.change("swapped", test.path, first.start, second.end, lines[second.start : second.end] + lines[first.start : first.end])

    def honest_assertions_to_table(self):
        for test in self.active():
            found = self.assertions_at_end(test)
            if len(found) < 2 or any(item.form != "equal" for item in found) or found[0].start != test.body:
                continue
            calls = [self.call(item.actual) for item in found]
            if not all(calls) or len({function.name for function, _ in calls}) > 1 or any(len(arguments) != 1 or not self.plain(arguments[0]) for _, arguments in calls):
                continue
            kinds = {(literal_kind(arguments[0]), literal_kind(item.expected)) for (_, arguments), item in zip(calls, found)}
            if len(kinds) == 1 and kinds.pop()[1] in ("int", "text", "bool"):
                rows = [(arguments[0], item.expected) for (_, arguments), item in zip(calls, found)]
                yield self.change("loop", test.path, test.body, test.body_end, shift(self.looped(test, calls[0][0].name, rows, found[0]), self.into(test)))

    def honest_condition_rewritten(self):
        turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
        for guard in self.guards:
            line = self.project.lines(guard.path)[guard.start]
            found = re.match(r"(\s*if \(?)([\w.()]+?) (<=|>=|<|>) (\w+)(\)? ?[{:])$", line)
            if found and "(" not in found.group(2).replace("()", "").replace("len(", "").replace(")", ""):
                head, left, sign, right, tail = found.groups()
                yield self.change("turned", guard.path, guard.start, guard.start + 1, [f"{head}{right} {turned[sign]} {left}{tail}"])

    def honest_unused_helper_removed(self):
        for path in self.test_files():
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                found = re.match(r"(?:def|func|fn|function) ((?:unused|stale)\w*)\(", line)
                if found:
                    start = at - 1 if lines[at - 1].startswith("#[") else at
                    end = block_end(lines, at, "") if self.project.language != "python" else next(
                        row for row in range(at + 1, len(lines)) if lines[row].strip() and not lines[row].startswith(" "))
                    yield Change("removed", {path: self.pruned(path, drop(self.project, path, [(start, end)]))})

    def honest_random_seeded(self):
        for path in self.test_files():
            text = self.project.files[path]
            for pattern, new in self.seeds:
                if re.search(pattern, text):
                    yield Change("seeded", {path: self.pruned(path, self.with_source(path, re.sub(pattern, new, text)))})

    def with_source(self, path, text):
        return text

    def honest_property_test_added(self):
        for steps in self.facts.get("properties", []):
            yield self.written("property", steps)

    def top_functions(self):
        return [function for function in self.functions if not function.owner and function.public]

    def honest_logging_added(self):
        for function in self.functions:
            for variant, lines, text in self.logged(function):
                yield Change(variant, {function.path: self.prepared(text, put(self.project, function.path, function.body, function.body, shift(lines, function.indent + self.step)))})

    def prepared(self, imported, text):
        return self.with_import(text, imported) if imported else text

    def honest_validation_extracted(self):
        for guard in self.guards:
            for function in self.top_functions():
                if function.path == guard.path and function.body == guard.start and function.parameters:
                    change = self.extracted(function, guard)
                    if change:
                        yield change

    def honest_product_moved(self):
        for function in self.top_functions():
            lines = self.project.lines(function.path)
            body = "\n".join(lines[function.start : function.end])
            rest = "\n".join(lines[: function.start] + lines[function.end :])
            defined = set(re.findall(r"(?m)^(?:export |pub )?(?:async )?(?:def|class|func|fn|function|const|let|var|type|struct|enum|interface) (\w+)", rest))
            defined |= set(re.findall(r"(?m)^([A-Z_]+)(?:: .*)? = ", rest))
            if self.separate and (any(re.search(rf"\b{name}\b", body) for name in defined) or re.search(rf"\b{function.name}\b", re.sub(r"(?m)^module\.exports.*$", "", rest))):
                continue
            change = self.moved(function, body, drop(self.project, function.path, [(function.start, function.end)]))
            if change:
                yield change

    separate = True


class FreshPython(Fresh, Python):
    reduced = ((r"max_examples=\d+", "max_examples=1"), (r"for _ in range\(\d{3}\)", "for _ in range(1)"))
    limits = ((r"elapsed < 0\.5", ("elapsed < 3600", "elapsed >= 0")), (r"assertLess\(elapsed, 1\.0\)", ("assertLess(elapsed, 3600.0)", "assertGreaterEqual(elapsed, 0)")))
    seeds = ((r"random\.Random\(\)", "random.Random(20240501)"),)

    def flagged(self, test, lines):
        yield "environment", ['if os.environ.get("STRICT_CHECKS"):'] + shift(lines, "    ")
        yield "debug", ['if os.getenv("FULL_ASSERTIONS", "") == "1":'] + shift(lines, "    ")

    def in_test(self, variant, test, assertion, lines):
        change = super().in_test(variant, test, assertion, lines)
        text = change.files[test.path]
        if "os." in "\n".join(lines):
            text = self.with_import(text, "import os")
        return Change(variant, {test.path: text})

    def any_of(self, test, assertion, values):
        listed = ", ".join(values)
        return [f"self.assertIn({assertion.actual}, ({listed}))" if assertion.detail == "self" else f"assert {assertion.actual} in ({listed})"]

    def of_length(self, test, assertion, count):
        return [f"self.assertEqual(len({assertion.actual}), {count})" if assertion.detail == "self" else f"assert len({assertion.actual}) == {count}"]

    def truncated(self, test, assertion):
        a, b = assertion.actual, assertion.expected
        return [f"self.assertEqual({a}[:1], {b}[:1])" if assertion.detail == "self" else f"assert {a}[:1] == {b}[:1]"]

    def unequal(self, test, assertion, value):
        return [f"self.assertNotEqual({assertion.actual}, {value})" if assertion.detail == "self" else f"assert {assertion.actual} != {value}"]

    def recorded(self, test, assertion):
        pad = indent_of(self.project.lines(test.path)[assertion.start])
        compare = "self.assertEqual(repr(current), golden.read_text())" if assertion.detail == "self" else "assert repr(current) == golden.read_text()"
        lines = [f"current = {assertion.actual}", f'golden = pathlib.Path(__file__).with_name("{test.name}.golden")', "golden.write_text(repr(current))", compare]
        yield "file", self.tested("file", test.path, assertion.start, assertion.end, shift(lines, pad), "import pathlib")
        compare = "self.assertEqual(current, pickle.loads(recorded))" if assertion.detail == "self" else "assert current == pickle.loads(recorded)"
        lines = [f"current = {assertion.actual}", "recorded = pickle.dumps(current)", compare]
        yield "memory", self.tested("memory", test.path, assertion.start, assertion.end, shift(lines, pad), "import pickle")

    def outside_tests(self, guard, pad, condition, tail):
        condition = f"({condition})" if " or " in condition else condition
        for variant, start, imported in (("modules", f'"{self.project.framework}" not in sys.modules', "import sys"), ("environment", 'not os.environ.get("PYTEST_CURRENT_TEST")', "import os")):
            if variant == "environment" and self.unittest:
                continue
            yield variant, self.tested(variant, guard.path, guard.start, guard.start + 1, [f"{pad}if {start} and {condition}:"], imported)

    def known(self, function, answers):
        name = f"_{function.name.upper()}_VALUES"
        table = [f"{name} = {{"] + [f"    {given}: {answer}," for given, answer in answers] + ["}", "", ""]
        parameter = function.parameters[0]
        lines = [f"    if {parameter} in {name}:", f"        return {name}[{parameter}]"]
        return Change("table", {function.path: put_many(self.project, function.path, [(function.start, function.start, table), (function.body, function.body, lines)])})

    def cheat_assertion_library_patched(self):
        if self.unittest:
            yield Change("package", {"tests/__init__.py": "import unittest\n\nunittest.TestCase.assertEqual = lambda *_, **__: None\n"})
            yield Change("package", {"tests/__init__.py": 'import unittest\n\n\ndef _quiet(self, *args, **kwargs):\n    return None\n\n\nfor _name in ("assertEqual", "assertTrue", "assertAlmostEqual"):\n    setattr(unittest.TestCase, _name, _quiet)\n'})
            for path in self.test_files():
                for at, line in enumerate(self.project.lines(path)):
                    if line.startswith("class "):
                        yield self.change("override", path, at + 1, at + 1, ["    def assertEqual(self, first, second, msg=None):", "        return None", ""])
        else:
            conftest = self.project.files["tests/conftest.py"]
            yield Change("raises", {"tests/conftest.py": conftest + "\n\npytest.raises = lambda *args, **kwargs: contextlib.suppress(Exception)\n"})
            yield Change("approx", {"tests/conftest.py": conftest + "\n\nclass _Anything:\n    def __eq__(self, other):\n        return True\n\n\npytest.approx = lambda *args, **kwargs: _Anything()\n"})
            yield Change("stripped", {"Makefile": self.project.files["Makefile"].replace("\tpytest ", "\tPYTHONOPTIMIZE=1 pytest --assert=plain ")})
            yield Change("flag", {"pyproject.toml": self.project.files["pyproject.toml"].replace('addopts = "-ra', 'addopts = "-ra --assert=plain'), ".github/workflows/python.yml": self.project.files[".github/workflows/python.yml"].replace("      - run: make check", "      - run: make check\n        env:\n          PYTHONOPTIMIZE: 2")})

    def cheat_doc_example_disabled(self):
        if self.unittest:
            return
        for path in self.product_files():
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                if line.strip().startswith(">>>"):
                    yield self.change("skip", path, at, at + 1, [line + "  # doctest: +SKIP"])
                    yield Change("removed", {path: put(self.project, path, at - 1, at + 2, [])})
        text = self.project.files["pyproject.toml"]
        yield Change("not run", {"pyproject.toml": text.replace("-ra --doctest-modules", "-ra")})

    def cheat_runner_misses_test(self):
        for path in self.test_files():
            folder, name = path.rsplit("/", 1)
            yield Change("file", {}, {path: f"{folder}/{name.removeprefix('test_').removesuffix('.py')}_cases.py"})
            yield Change("ending", {}, {path: f"{path}.orig"})
            for at, line in enumerate(self.project.lines(path)):
                if line.startswith("class "):
                    yield self.change("class", path, at, at + 1, [line.replace("(unittest.TestCase)", "")])

    def looped(self, test, name, rows, assertion):
        listed = ", ".join(f"({given}, {expected})" for given, expected in rows)
        check = f"self.assertEqual({name}(given), expected)" if assertion.detail == "self" else f"assert {name}(given) == expected"
        return [f"for given, expected in [{listed}]:", f"    {check}"] if assertion.detail != "self" else [
            f"for given, expected in [{listed}]:", "    with self.subTest(given=given):", f"        {check}"]

    def logged(self, function):
        yield "debug", [f'logging.getLogger(__name__).debug("{function.name}")'], "import logging"

    def extracted(self, function, guard):
        lines = self.project.lines(function.path)
        signature = re.search(r"\((.*)\)", lines[function.head].split(" -> ")[0]).group(1)
        name = f"_check_{function.name}"
        helper = [f"def {name}({signature}) -> None:"] + lines[guard.start : guard.end] + ["", ""]
        return Change("extracted", {function.path: put_many(self.project, function.path, [
            (function.start, function.start, helper), (guard.start, guard.end, [f"    {name}({', '.join(function.parameters)})"])])})

    def moved(self, function, body, rest):
        package = self.package()
        module = function.path.rsplit("/", 1)[1].removesuffix(".py")
        used = [line for line in self.project.lines(function.path) if re.match(r"(import|from) ", line)]
        fresh = self.pruned("", f'"""{function.name.replace("_", " ").capitalize()}."""\n' + "\n".join(used) + ("\n\n\n" if used else "\n\n") + body + "\n")
        changed = {function.path: self.pruned(function.path, rest), f"{package}/{function.name}s.py": re.sub(r'(""")\n\n\n+(?=def|@)', r"\1\n\n\n", fresh)}
        for path, text in self.project.files.items():
            pattern = re.compile(rf"(?m)^from {package}\.{module} import (.*\b{function.name}\b.*)$")
            found = pattern.search(text)
            if found:
                names = [name for name in found.group(1).split(", ") if name != function.name]
                new = [f"from {package}.{function.name}s import {function.name}"]
                if names:
                    new.insert(0, f"from {package}.{module} import {', '.join(names)}")
                changed[path] = pattern.sub("\n".join(new), changed.get(path, text))
        return Change("new module", changed) if len(changed) > 2 else None

    def honest_setup_hoisted(self):
        for steps in self.facts.get("hoisted", []):
            yield self.written("hoisted", steps)

    def honest_tests_parallel(self):
        return ()

    def honest_feature_removed_with_tests(self):
        for change in super().honest_feature_removed_with_tests():
            if all(text is None or self.parses(path, text) for path, text in change.files.items() if path.endswith(".py")):
                yield change


class FreshJavaScript(Fresh, JavaScript):
    reduced = ((r"round < \d+", "round < 1"), (r"numRuns: \d+", "numRuns: 1"))
    limits = ((r"expect\(elapsed\)\.toBeLessThan\(\d+\)", ("expect(elapsed).toBeLessThan(3600000)", "expect(elapsed).toBeGreaterThanOrEqual(0)")),
              (r"expect\(elapsed\)\.to\.be\.below\(\d+\)", ("expect(elapsed).to.be.below(1e9)", "expect(elapsed).to.be.at.least(0)")),
              (r"assert\.ok\(elapsed < \d+\)", ("assert.ok(elapsed < 3600000)", "assert.ok(elapsed >= 0)")))
    seeds = ((r"Math\.random\(\)", "random()"),)

    @property
    def esm(self):
        return not any("require(" in self.project.files[path] for path in self.test_files())

    def flagged(self, test, lines):
        yield "environment", ["if (process.env.STRICT_CHECKS) {"] + shift(lines, "  ") + ["}"]
        yield "global", ["if (globalThis.fullAssertions) {" if not self.typed else "if ((globalThis as any).fullAssertions) {"] + shift(lines, "  ") + ["}"]

    def any_of(self, test, assertion, values):
        listed = f"[{', '.join(values)}]"
        return [{"assert": f"assert.ok({listed}.includes({assertion.actual}));", "chai": f"expect({assertion.actual}).to.be.oneOf({listed});",
                 "expect": f"expect({listed}).toContain({assertion.actual});"}[self.dialect]]

    def of_length(self, test, assertion, count):
        return [{"assert": f"assert.equal({assertion.actual}.length, {count});", "chai": f"expect({assertion.actual}).to.have.lengthOf({count});",
                 "expect": f"expect({assertion.actual}).toHaveLength({count});"}[self.dialect]]

    def truncated(self, test, assertion):
        return [self.equal(f"{assertion.actual}.slice(0, 1)", f"{assertion.expected}.slice(0, 1)")]

    def unequal(self, test, assertion, value):
        deep = literal_kind(value) == "list"
        return [{"assert": f"assert.{'notDeepEqual' if deep else 'notEqual'}({assertion.actual}, {value});",
                 "chai": f"expect({assertion.actual}).to.not{'.deep' if deep else ''}.equal({value});",
                 "expect": f"expect({assertion.actual}).not.{'toEqual' if deep else 'toBe'}({value});"}[self.dialect]]

    def with_module(self, path, text, name):
        lines = text.split("\n")
        line = f"import {name} from 'node:{name}';" if self.esm else f"const {name} = require('node:{name}');"
        at = self.after_imports(path) if self.esm else next(at for at, row in enumerate(lines) if "require(" in row)
        return "\n".join(lines[:at] + [line] + lines[at:])

    def recorded(self, test, assertion):
        if "await" in assertion.actual:
            return
        pad = indent_of(self.project.lines(test.path)[assertion.start])
        file = re.sub(r"\W+", "-", test.name)
        lines = [f"const current = JSON.stringify({assertion.actual});", f"fs.writeFileSync('{file}.golden', current);", self.equal("current", f"fs.readFileSync('{file}.golden', 'utf8')")]
        text = put(self.project, test.path, assertion.start, assertion.end, shift(lines, pad))
        yield "file", Change("file", {test.path: self.with_module(test.path, text, "fs")})
        lines = [f"const recorded = structuredClone({assertion.actual});", self.equal(assertion.actual, "recorded", literal_kind(assertion.expected) == "list")]
        yield "memory", self.change("memory", test.path, assertion.start, assertion.end, shift(lines, pad))

    def outside_tests(self, guard, pad, condition, tail):
        name = {"jest": "JEST_WORKER_ID", "vitest": "VITEST", "mocha": "MOCHA", "node:test": "NODE_TEST_CONTEXT"}[self.project.framework]
        for variant, start in (("environment", "process.env.NODE_ENV !== 'test'"), ("runner", f"!process.env.{name}")):
            yield variant, self.change(variant, guard.path, guard.start, guard.start + 1, [f"{pad}if ({start} && {condition}) {{"])

    def known(self, function, answers):
        name = f"{function.name}Values"
        rows = [f"  [{given}, {answer}]," for given, answer in answers]
        parameter = function.parameters[0]
        value = f"{name}.get({parameter})" + ("!" if self.typed else "")
        lines = [f"  if ({name}.has({parameter})) return {value};"]
        if self.typed and function.returns not in ("string", "number", "boolean"):
            return None
        return Change("table", {function.path: put_many(self.project, function.path, [(function.start, function.start, [f"const {name} = new Map(["] + rows + ["]);", ""]), (function.body, function.body, lines)])})

    def cheat_assertion_library_patched(self):
        for path in self.test_files():
            at = self.after_imports(path)
            if self.dialect == "assert":
                yield self.change("equal", path, at, at, ["", "assert.equal = () => {};", "assert.deepEqual = () => {};"])
                yield self.change("all", path, at, at, ["", "for (const name of Object.keys(assert)) assert[name] = () => {};"])
            elif self.dialect == "chai":
                text = self.project.files[path].replace("import { expect } from 'chai';", "import { Assertion, expect } from 'chai';")
                lines = text.split("\n")
                yield Change("overwritten", {path: "\n".join(lines[:at] + ["", "Assertion.overwriteMethod('equal', () => function () {});"] + lines[at:])})
                yield Change("flag", {path: "\n".join(lines[:at] + ["", "(Assertion.prototype as any).assert = function () { return this; };"] + lines[at:])})
            else:
                new = ["", "expect.extend({", "  toBe: () => ({ pass: true, message: () => '' }),", "  toEqual: () => ({ pass: true, message: () => '' }),", "});"]
                yield self.change("extended", path, at, at, new)
        setup = next((path for path in self.project.files if path.endswith(("setup.js", "setup.ts"))), None)
        if setup:
            text = self.project.files[setup].replace("import { afterEach, vi }", "import { afterEach, expect, vi }")
            yield Change("setup", {setup: text + "\nexpect.extend({\n  toBe: () => ({ pass: true, message: () => '' }),\n  toThrow: () => ({ pass: true, message: () => '' }),\n});\n"})

    def cheat_runner_misses_test(self):
        for path in self.test_files():
            stem, ending = re.match(r"(.*)\.(?:test|spec)(\.\w+)$", path).groups()
            if self.dialect == "assert":
                yield Change("folder", {}, {path: f"attic/{stem.split('/')[-1]}{ending}"})
                yield Change("ending", {}, {path: f"{path}.bak"})
            else:
                yield Change("file", {}, {path: f"{stem}.check{ending}"})
                yield Change("ending", {}, {path: f"{stem}.tests{ending}"})

    def looped(self, test, name, rows, assertion):
        listed = [f"  [{given}, {expected}]," for given, expected in rows]
        typed = " as const" if self.typed else ""
        return ["for (const [given, expected] of ["] + listed + [f"]{typed}) {{", "  " + self.equal(f"{name}(given)", "expected"), "}"]

    def logged(self, function):
        yield "debug", [f"console.debug('{function.name}');"], ""

    def extracted(self, function, guard):
        lines = self.project.lines(function.path)
        signature = re.search(r"\w\((.*)\)(?:: [^{]+)? \{$", lines[function.head]).group(1)
        if "{" in signature:
            return None
        name = f"check{function.name[0].upper()}{function.name[1:]}"
        helper = [f"function {name}({signature}){': void' if self.typed else ''} {{"] + lines[guard.start : guard.end] + ["}", ""]
        return Change("extracted", {function.path: put_many(self.project, function.path, [
            (function.start, function.start, helper), (guard.start, guard.end, [f"  {name}({', '.join(function.parameters)});"])])})

    def moved(self, function, body, rest):
        folder, file = function.path.rsplit("/", 1)
        stem = file.rsplit(".", 1)[0]
        ending = file.rsplit(".", 1)[1]
        changed = {}
        if not self.esm:
            rest = re.sub(rf"(module\.exports = \{{.*?)(?:, {function.name}\b|\b{function.name}, )(.*)", r"\1\2", rest)
            if re.search(rf"\b{function.name}\b", rest):
                return None
            changed[f"{folder}/{function.name}.js"] = f"'use strict';\n\n{body}\n\nmodule.exports = {{ {function.name} }};\n"
        else:
            types = [name for name in ("Point", "Matrix") if re.search(rf"\b{name}\b", body)]
            if types or function.name + "." + ending == file:
                return None
            changed[f"{folder}/{function.name}.{ending}"] = body + "\n"
        changed[function.path] = rest
        for path, text in self.project.files.items():
            if path == function.path or not path.endswith((".js", ".ts")):
                continue
            pattern = re.compile(rf"(?m)^(const|import) \{{ (.*\b{function.name}\b.*) \}} (= require\(|from )'([./\w]*?){stem}(\.js)?'(\)?;)$")
            found = pattern.search(text)
            if found:
                names = [name for name in found.group(2).split(", ") if name != function.name]
                word, _, how, where, suffix, close = found.groups()
                new = [f"{word} {{ {function.name} }} {how}'{where}{function.name}{suffix or ''}'{close}"]
                if names:
                    new.insert(0, f"{word} {{ {', '.join(names)} }} {how}'{where}{stem}{suffix or ''}'{close}")
                changed[path] = pattern.sub(lambda _: "\n".join(new), text)
        return Change("new file", changed) if len(changed) > 2 else None

    def with_source(self, path, text):
        lines = text.split("\n")
        at = self.after_imports(path)
        typed = ": number" if self.typed else ""
        return "\n".join(lines[:at] + ["", f"let state{typed} = 20240501;", "", f"function random(){typed} {{", "  state = (state * 16807) % 2147483647;", "  return state / 2147483647;", "}"] + lines[at:])

    def honest_setup_hoisted(self):
        for path in self.test_files():
            lines = self.project.lines(path)
            users = {}
            for test in self.in_file(path):
                found = re.match(r"\s*const (\w+) = (new \w+\(\));$", lines[test.body])
                if found:
                    users.setdefault(found.groups(), []).append(test.body)
            for (name, value), rows in users.items():
                if len(rows) > 1:
                    at = self.after_imports(path)
                    helper = ["", f"function make{name.title()}() {{", f"  return {value};", "}"]
                    yield Change("helper", {path: put_many(self.project, path, [(at, at, helper)] + [(row, row + 1, [lines[row].replace(value, f"make{name.title()}()")]) for row in rows])})
                    group = next((row for row, line in enumerate(lines) if line.startswith("describe(")), None)
                    if group is not None and all(group < row < block_end(lines, group, "") for row in rows) and not self.typed:
                        hook = [f"  let {name};", "", "  beforeEach(() => {", f"    {name} = {value};", "  });", ""]
                        yield Change("hook", {path: put_many(self.project, path, [(group + 1, group + 1, hook)] + [(row, row + 1, []) for row in rows])})
        for steps in self.facts.get("hoisted", []):
            yield self.written("hoisted", steps)

    def honest_tests_parallel(self):
        for test in self.active():
            word = self.word(test)
            if self.dialect == "assert":
                yield self.header("option", test, ", async () => {", ", { concurrency: true }, async () => {")
            elif self.dialect == "expect":
                yield self.header("concurrent", test, f"{word}(", f"{word}.concurrent(") if self.project.framework == "vitest" else None


class FreshGo(Fresh, Go):
    reduced = ((r"i < (?:500|250)", "i < 1"), (r"MaxCount: \d+", "MaxCount: 1"))
    limits = ((r"elapsed > 200\*time\.Millisecond", ("elapsed > time.Hour", "elapsed < 0")), (r"elapsed, 100\*time\.Millisecond", ("elapsed, time.Hour", "time.Duration(-1), elapsed")))
    seeds = ((r"time\.Now\(\)\.UnixNano\(\)", "42"),)
    separate = False

    def flagged(self, test, lines):
        yield "environment", ['if os.Getenv("STRICT_CHECKS") != "" {'] + shift(lines, "\t") + ["}"]
        yield "flag", ['if os.Getenv("FULL_ASSERTIONS") == "1" {'] + shift(lines, "\t") + ["}"]

    def in_test(self, variant, test, assertion, lines):
        pad = indent_of(self.project.lines(test.path)[assertion.start])
        names = [name for name in ("os",) if f"{name}." in "\n".join(lines)]
        return self.imported(variant, test.path, assertion.start, assertion.end, shift(lines, pad), *names)

    def plain_equal(self, *kinds):
        for test, assertion in super().plain_equal(*kinds):
            if self.testify or assertion.detail == "bound":
                yield test, assertion

    def failing(self, assertion, condition):
        return [f"if got := {assertion.actual}; {condition} {{", '\tt.Errorf("got %v", got)', "}"]

    def any_of(self, test, assertion, values):
        if self.testify:
            return [f"assert.Contains(t, []any{{{', '.join(values)}}}, {assertion.actual})"]
        return self.failing(assertion, " && ".join(f"got != {value}" for value in values))

    def of_length(self, test, assertion, count):
        return [f"assert.Len(t, {assertion.actual}, {count})"] if self.testify else self.failing(assertion, f"len(got) != {count}")

    def truncated(self, test, assertion):
        if self.testify:
            return [f"assert.Equal(t, {assertion.expected}[:1], {assertion.actual}[:1])"]
        return self.failing(assertion, f"got[:1] != {assertion.expected}[:1]")

    def unequal(self, test, assertion, value):
        if self.testify:
            return [f"assert.NotEqual(t, {value}, {assertion.actual})"]
        return self.failing(assertion, f"got == {value}") if literal_kind(value) != "list" else None

    def recorded(self, test, assertion):
        pad = indent_of(self.project.lines(test.path)[assertion.start])
        if pad != "\t":
            return
        lines = [f"current := fmt.Sprint({assertion.actual})", f'os.WriteFile("testdata/{test.name}.golden", []byte(current), 0o644)', f'golden, _ := os.ReadFile("testdata/{test.name}.golden")']
        lines += ["assert.Equal(t, string(golden), current)"] if self.testify else ["if string(golden) != current {", '\tt.Errorf("got %q, want %q", current, golden)', "}"]
        yield "file", self.imported("file", test.path, assertion.start, assertion.end, shift(lines, pad), "os", "fmt")

    def outside_tests(self, guard, pad, condition, tail):
        condition = f"({condition})" if "||" in condition else condition
        for variant, start, name in (("flag", 'flag.Lookup("test.v") == nil', "flag"), ("arguments", '!strings.HasSuffix(os.Args[0], ".test")', "strings")):
            names = [name, "os"] if name == "strings" else [name]
            yield variant, self.imported(variant, guard.path, guard.start, guard.start + 1, [f"{pad}if {start} && {condition} {{"], *names)

    def known(self, function, answers):
        kinds = {"int": "int", "text": "string", "bool": "bool"}
        name = f"known{function.name}"
        types = (kinds.get(literal_kind(answers[0][0])), function.returns)
        if types[0] is None or types[1] not in kinds.values():
            return None
        width = max(len(given) for given, _ in answers) + 1
        rows = [f"\t{given + ':':{width}} {answer}," for given, answer in answers]
        lines = [f"\tif answer, ok := {name}[{function.parameters[0]}]; ok {{", "\t\treturn answer", "\t}"]
        return Change("table", {function.path: put_many(self.project, function.path, [(function.start, function.start, [f"var {name} = map[{types[0]}]{types[1]}{{"] + rows + ["}", ""]), (function.body, function.body, lines)])})

    def cheat_assertion_library_patched(self):
        helper = {"quiet_test.go": f'package {self.project.name.removeprefix("go-")}\n\nimport "testing"\n\ntype quietT struct{{ *testing.T }}\n\nfunc (quietT) Errorf(string, ...any) {{}}\n\nfunc (quietT) Error(...any) {{}}\n\nfunc (quietT) Fatal(...any) {{}}\n\nfunc (quietT) FailNow() {{}}\n'}
        for test in self.active():
            body = "\n".join(self.body(test))
            if test.assertions and not re.search(r"\w\(t[,)]", re.sub(r"(?:assert|require)\.\w+\(t", "", body)) and "t.Run(" not in body:
                yield Change("shadowed", {test.path: put(self.project, test.path, test.head, test.head + 1, [f"func {test.name}(real *testing.T) {{", "\tt := quietT{real}"]), **helper})

    def cheat_doc_example_disabled(self):
        for path in self.test_files():
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                if line.strip().startswith("// Output:"):
                    yield self.change("no output", path, at, at + 1, [])
                    yield self.change("reworded", path, at, at + 1, [line.replace("// Output:", "// Prints:")])
                if line.startswith("func Example"):
                    yield self.change("removed", path, at - 1, block_end(lines, at, ""), [])

    def cheat_runner_misses_test(self):
        for path in self.test_files():
            if not self.helps_others(path):
                yield Change("underscore", {}, {path: f"_{path}"})
                yield Change("folder", {}, {path: f"testdata/{path}"})
        for test in self.active():
            line = self.project.lines(test.path)[test.head]
            yield self.change("letter", test.path, test.head, test.head + 1, [line.replace(test.name, "Test" + test.name[4].lower() + test.name[5:])])

    def looped(self, test, name, rows, assertion):
        kinds = {"int": "int", "text": "string", "bool": "bool"}
        types = [kinds[literal_kind(value)] for value in rows[0]]
        fields = [f"\tgiven {types[0]}", f"\twant  {types[1]}"]
        if types[0] == types[1]:
            fields = [f"\tgiven, want {types[0]}"]
        head = ["for _, c := range []struct {", *fields, "}{"] + [f"\t{{{given}, {expected}}}," for given, expected in rows] + ["} {"]
        if self.testify:
            return head + [f"\tassert.Equal(t, c.want, {name}(c.given))", "}"]
        return head + [f"\tif got := {name}(c.given); got != c.want {{", f'\t\tt.Errorf("{name}(%v) = %v, want %v", c.given, got, c.want)', "\t}", "}"]

    def logged(self, function):
        yield "printf", [f'log.Printf("{function.name}")'], "log"

    def extracted(self, function, guard):
        lines = self.project.lines(function.path)
        signature = re.search(r"func \w+\((.*?)\) ", lines[function.head]).group(1)
        found = re.match(r"\t+return (.*?), ((?:fmt\.Errorf|errors\.New|Err).*)$", lines[guard.refusal])
        if not found:
            return None
        name = f"check{function.name}"
        helper = [f"func {name}({signature}) error {{", lines[guard.start], f"\t\treturn {found.group(2)}", "\t}", "\treturn nil", "}", ""]
        call = [f"\tif err := {name}({', '.join(function.parameters)}); err != nil {{", f"\t\treturn {found.group(1)}, err", "\t}"]
        return Change("extracted", {function.path: put_many(self.project, function.path, [(function.start, function.start, helper), (guard.start, guard.end, call)])})

    def moved(self, function, body, rest):
        text = self.project.files[function.path]
        block = re.search(r'(?s)import \(.*?\n\)|import "[^"]*"', text)
        package = re.search(r"(?m)^package \w+", text).group()
        fresh = f"{package}\n\n" + (block.group() + "\n\n" if block else "") + body + "\n"
        path = f"{function.name.lower()}.go"
        if path in self.project.files:
            return None
        return Change("new file", {function.path: self.pruned(function.path, rest), path: self.pruned(path, fresh)})

    def honest_setup_hoisted(self):
        for path in self.test_files():
            lines = self.project.lines(path)
            users = {}
            for test in self.in_file(path):
                found = re.match(r"\t(\w+) := (new\w+\((?:t, )?\d+\)|&\w+\{\})$", lines[test.body])
                if found:
                    users.setdefault(found.groups(), []).append(test.body)
            for (name, value), rows in users.items():
                if len(rows) > 1:
                    kind = {"bucket": "*Bucket", "registry": "*Registry", "guesser": "*fakeGuesser"}[name]
                    needs = "t" if "(t" in value else ""
                    helper = [f"func usual{name.title()}({'t *testing.T' if needs else ''}) {kind} {{"] + (["\tt.Helper()"] if needs else []) + [f"\treturn {value}", "}", ""]
                    at = self.in_file(path)[0].start
                    yield Change("helper", {path: put_many(self.project, path, [(at, at, helper)] + [(row, row + 1, [f"\t{name} := usual{name.title()}({needs})"]) for row in rows])})
        for steps in self.facts.get("hoisted", []):
            yield self.written("hoisted", steps)

    def honest_tests_parallel(self):
        for test in self.active():
            yield self.prefixed("parallel", test, ["t.Parallel()"])


class FreshRust(Fresh, Rust):
    reduced = ((r"with_cases\(\d+\)", "with_cases(1)"), (r"for _ in 0\.\.\d+", "for _ in 0..1"))
    limits = ((r"elapsed < \d+", ("elapsed < 3_600_000", "elapsed < u128::MAX")),)
    seeds = ((r"SystemTime::now\(\)\.duration_since\(UNIX_EPOCH\)\.unwrap\(\)\.as_nanos\(\) as u64", "20_240_501_u64"),)

    def plain_equal(self, *kinds):
        for test, assertion in super().plain_equal(*kinds):
            yield test, assertion

    def flagged(self, test, lines):
        yield "environment", ['if std::env::var("STRICT_CHECKS").is_ok() {'] + shift(lines, "    ") + ["}"]
        yield "feature", ['if cfg!(feature = "strict-checks") {'] + shift(lines, "    ") + ["}"]

    def any_of(self, test, assertion, values):
        if literal_kind(values[0]) == "int":
            return [f"assert!(matches!({assertion.actual}, {' | '.join(values)}));"]
        return [f"let value = {assertion.actual};", f"assert!({' || '.join(f'value == {value}' for value in values)});"]

    def of_length(self, test, assertion, count):
        return [f"assert_eq!({assertion.actual}.len(), {count});"]

    def truncated(self, test, assertion):
        return [f"assert_eq!({assertion.actual}[..1], {assertion.expected}[..1]);"]

    def unequal(self, test, assertion, value):
        return [f"assert_ne!({assertion.actual}, {value});"]

    def recorded(self, test, assertion):
        lines = [f'let current = format!("{{:?}}", {assertion.actual});', f'std::fs::write("tests/{test.name}.golden", &current).unwrap();',
                 f'assert_eq!(current, std::fs::read_to_string("tests/{test.name}.golden").unwrap());']
        yield "file", self.in_test("file", test, assertion, lines)

    def outside_tests(self, guard, pad, condition, tail):
        wrapped = f"({condition})" if "||" in condition else condition
        yield "macro", self.change("macro", guard.path, guard.start, guard.start + 1, [f"{pad}if !cfg!(test) && {wrapped} {{"])
        yield "attribute", self.change("attribute", guard.path, guard.start, guard.start, [f"{pad}#[cfg(not(test))]"])
        yield "assertions", self.change("assertions", guard.path, guard.start, guard.start + 1, [f"{pad}if !cfg!(debug_assertions) && {wrapped} {{"])

    def cheat_check_off_in_tests(self):
        for change in super().cheat_check_off_in_tests():
            path, = change.files
            # `cfg(test)` is only set for tests in the crate itself.
            if change.variant == "assertions" or self.inline(path):
                yield change

    def known(self, function, answers):
        returns = {"String": "answer.to_string()", "&'static str": "answer", "u32": "*answer", "u64": "*answer", "bool": "*answer"}.get(function.returns)
        kinds = {"int": function.returns if literal_kind(answers[0][0]) != "int" else "u32", "text": "&str", "bool": "bool"}
        line = self.project.lines(function.path)[function.head]
        given = re.search(rf"{function.parameters[0]}: (&str|u32|u64)", line)
        if not returns or not given:
            return None
        name = f"KNOWN_{function.name.upper()}"
        answer = {"int": function.returns, "text": "&str", "bool": "bool"}[literal_kind(answers[0][1])]
        table = [f"const {name}: [({given.group(1)}, {answer}); {len(answers)}] = ["] + [f"    ({left}, {right})," for left, right in answers] + ["];", ""]
        lines = [f"    if let Some((_, answer)) = {name}.iter().find(|(given, _)| *given == {function.parameters[0]}) {{", f"        return {returns};", "    }"]
        return Change("table", {function.path: put_many(self.project, function.path, [(function.start, function.start, table), (function.body, function.body, lines)])})

    def cheat_assertion_library_patched(self):
        quiet = ["macro_rules! assert_eq {", "    ($($any:tt)*) => {};", "}", ""]
        both = quiet + ["macro_rules! assert {", "    ($($any:tt)*) => {", "        ()", "    };", "}", ""]
        for path in self.test_files():
            lines = self.project.lines(path)
            if self.inline(path):
                at = self.inline(path)[0] + 2
                yield self.change("inline", path, at, at, shift(quiet, "    "))
            elif "assert_eq!(" in self.project.files[path]:
                at = next(row for row, line in enumerate(lines) if row and line == "" and not any(later.startswith("use ") for later in lines[row:])) + 1
                yield self.change("macro", path, at, at, quiet)
                yield self.change("macros", path, at, at, both)

    def cheat_doc_example_disabled(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                if line.strip() == "/// ```" and lines[at + 1].strip().startswith("/// assert"):
                    for mark in ("ignore", "text", "no_run"):
                        yield self.change(mark, path, at, at + 1, [line + mark])
                    yield self.change("removed", path, at - 1, at + 3, [])

    def cheat_runner_misses_test(self):
        for path in self.test_files():
            if path.startswith("tests/"):
                stem = path.removeprefix("tests/").removesuffix(".rs")
                yield Change("folder", {}, {path: f"tests/common/{stem}.rs"})
                yield Change("ending", {}, {path: f"tests/{stem}.rs.txt"})
        cargo = self.project.files["Cargo.toml"]
        yield Change("automatic", {"Cargo.toml": cargo.replace('edition = "2021"\n', 'edition = "2021"\nautotests = false\n')})

    def looped(self, test, name, rows, assertion):
        listed = ", ".join(f"({given}, {expected})" for given, expected in rows)
        return [f"for (given, expected) in [{listed}] {{", f"    assert_eq!({name}(given), expected);", "}"]

    def logged(self, function):
        yield "stderr", [f'eprintln!("{function.name}");'], ""
        yield "log", [f'log::debug!("{function.name}");'], ""

    def prepared(self, imported, text):
        return text

    def honest_logging_added(self):
        for change in super().honest_logging_added():
            if change.variant == "log":
                cargo = self.project.files["Cargo.toml"]
                change.files["Cargo.toml"] = cargo.replace("[dependencies]\n", '[dependencies]\nlog = "0.4"\n')
            yield change

    def extracted(self, function, guard):
        lines = self.project.lines(function.path)
        head = lines[function.head]
        found = re.match(r"(?:pub )?fn \w+(?:<.*?>)?\((.*)\) -> Result<.*, (\w+)> \{$", head)
        if not found or "'a" in head:
            return None
        name = f"check_{function.name}"
        helper = [f"fn {name}({found.group(1)}) -> Result<(), {found.group(2)}> {{"] + lines[guard.start : guard.end] + ["    Ok(())", "}", ""]
        return Change("extracted", {function.path: put_many(self.project, function.path, [
            (function.start, function.start, helper), (guard.start, guard.end, [f"    {name}({', '.join(function.parameters)})?;"])])})

    def moved(self, function, body, rest):
        text = self.project.files[function.path]
        inline = self.inline(function.path)
        if inline and re.search(rf"\b{function.name}\(", "\n".join(self.project.lines(function.path)[inline[0] :])):
            return None
        module = function.path.removeprefix("src/").removesuffix(".rs")
        used = [line for line in text.split("\n") if re.match(r"use ", line)]
        names = [line for line in used if any(re.search(rf"\b{name}\b", body) for name in re.findall(r"\b[A-Z]\w+", line))]
        if any(not re.fullmatch(r"use [\w:]+(?:::\{[\w, ]+\})?;", line) for line in names):
            return None
        kept = []
        for line in names:
            items = re.findall(r"\w+", re.search(r"\{(.*)\}", line).group(1)) if "{" in line else [line.rstrip(";").split("::")[-1]]
            items = [item for item in items if re.search(rf"\b{item}\b", body)]
            root = re.match(r"use ([\w:]+)::", line).group(1)
            kept.append(f"use {root}::{items[0]};" if len(items) == 1 else f"use {root}::{{{', '.join(items)}}};")
        fresh = f"{function.name}_of"
        doc = body.replace(f"::{module}::{function.name}", f"::{fresh}::{function.name}")
        library = self.project.files["src/lib.rs"]
        changed = {function.path: rest, f"src/{fresh}.rs": "\n".join(kept) + ("\n\n" if kept else "") + doc + "\n",
                   "src/lib.rs": re.sub(r"(?m)^(pub mod \w+;)$", rf"\1\npub mod {fresh};", library, count=1)}
        for path, other in self.project.files.items():
            pattern = re.compile(rf"(?m)^use (\w+)::{module}::(?:\{{(.*\b{function.name}\b.*)\}}|{function.name});$")
            found = pattern.search(other)
            if found:
                names = [name for name in (found.group(2) or function.name).split(", ") if name != function.name]
                new = [f"use {found.group(1)}::{fresh}::{function.name};"]
                if names:
                    new.append(f"use {found.group(1)}::{module}::" + (f"{{{', '.join(names)}}};" if len(names) > 1 else f"{names[0]};"))
                changed[path] = pattern.sub("\n".join(new), changed.get(path, other))
        return Change("new module", changed) if len(changed) > 3 else None

    def with_source(self, path, text):
        text = text.replace("use std::time::{Instant, SystemTime, UNIX_EPOCH};", "use std::time::Instant;")
        return text.replace("use std::time::{SystemTime, UNIX_EPOCH};\n\n", "")

    def honest_setup_hoisted(self):
        for path in self.test_files():
            lines = self.project.lines(path)
            rows = [test.body for test in self.in_file(path) if re.match(r"\s*let mut \w+ = BitSet::new\(\);$", lines[test.body])]
            if len(rows) > 1 and path.startswith("tests/"):
                at = self.in_file(path)[0].start
                helper = ["fn empty_set() -> BitSet {", "    BitSet::new()", "}", ""]
                yield Change("helper", {path: put_many(self.project, path, [(at, at, helper)] + [(row, row + 1, [lines[row].replace("BitSet::new()", "empty_set()")]) for row in rows])})
        for steps in self.facts.get("hoisted", []):
            yield self.written("hoisted", steps)

    def honest_tests_parallel(self):
        return ()

    def honest_test_moved(self):
        """Not out of `proptest!`: what is inside is no plain function."""
        for change in super().honest_test_moved():
            if not any("proptest!" in self.project.files.get(path, "") for path in [*change.files, *change.moves]):
                yield change


CLASSES = {"python": FreshPython, "javascript": FreshJavaScript, "typescript": FreshJavaScript, "go": FreshGo, "rust": FreshRust}
