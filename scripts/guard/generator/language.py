"""What all languages share. A method `cheat_KIND` or `honest_KIND` yields the changes of that kind."""
import random
import re

from .facts import FACTS
from .sites import (
    drop, indent_of, literal_kind, other_value, put, put_many, same_bodies, shift, split_arguments,
)
from .tree import Change

WORDS = [  # how messages are reworded, in the product and in its tests alike
    ("unknown", "unrecognised"), ("too large", "too big"), ("too long", "over the limit"), ("empty", "blank"),
    ("negative", "below zero"), ("must be positive", "must be above zero"), ("not found", "no such page"),
    ("no such", "there is no"), ("cannot read", "could not read"), ("required", "mandatory"), ("invalid", "not valid"),
    ("too many", "more than enough"), ("expected", "wanted"), ("not allowed", "forbidden"), ("insufficient", "not enough"),
    ("trailing", "left over"), ("too deeply", "too deep"), ("damaged", "corrupt"), ("division by zero", "divided by zero"),
    ("bad character", "bad letter"), ("too small", "too narrow"), ("no month", "there is no month"),
    ("unsupported", "unhandled"), ("malformed", "unreadable"), ("internal error", "something went wrong"),
    ("not JSON", "malformed JSON"), ("above max", "greater than max"), ("shorter than", "less than"),
    ("does not match", "is no match"), ("cycle", "loop"), ("needs itself", "depends on itself"),
    ("no colon", "missing colon"), ("no builder", "missing builder"), ("is full", "is at its limit"),
]


class Language:
    comment = "//"
    names = "camel"

    def __init__(self, project, seed):
        self.project = project
        self.rng = random.Random(f"{seed}/{project.name}")
        self.tests = list(self.find_tests())
        self.doubles = same_bodies(project, self.tests)
        self.functions = list(self.find_functions())
        self.guards = list(self.find_guards())
        self.tables = list(self.find_tables())
        self.facts = FACTS.get(project.name, {})

    # ---- what a language says about itself ----

    def find_tests(self):
        return []

    def find_functions(self):
        return []

    def find_guards(self):
        return []

    def find_tables(self):
        return []

    # What a language may say: pairs of a variant and lines or a statement.

    def empty_bodies(self, test):
        return ()

    def bare_calls(self, assertion):
        return ()

    def weaker(self, test, assertion):
        return ()

    def tautologies(self, test, assertion):
        return ()

    def circular(self, test, assertion):
        return ()

    def stubs(self, function):
        return ()

    def hard_coded(self, function, arguments, expected):
        return ()

    def is_test_file(self, path):
        return any(test.path == path for test in self.tests)

    def test_files(self):
        return sorted({test.path for test in self.tests})

    def in_file(self, path):
        return [test for test in self.tests if test.path == path]

    def active(self):
        """Tests that run, and whose body is nowhere else: to lose one is a loss."""
        return [test for test in self.tests if not test.skipped and (test.path, test.name) not in self.doubles]

    def asserted(self, *forms):
        for test in self.active():
            for assertion in test.assertions:
                if not forms or assertion.form in forms:
                    yield test, assertion

    def body(self, test):
        return self.project.lines(test.path)[test.body : test.body_end]

    def change(self, variant, path, start, end, new):
        return Change(variant, {path: put(self.project, path, start, end, new)})

    def into(self, test):
        """The indentation of a test's body."""
        lines = self.project.lines(test.path)
        return next((indent_of(line) for line in lines[test.body : test.body_end] if line.strip()), test.indent + "    ")

    def call(self, text):
        """Name and arguments when the text is one call of a product function, else None."""
        found = re.fullmatch(r"([A-Za-z_]\w*)\((.*)\)", text.strip(), re.S)
        if not found:
            return None
        for function in self.functions:
            if function.name == found.group(1) and not function.owner:
                return function, split_arguments(found.group(2))
        return None

    # ---- cheats that look alike everywhere ----

    def cheat_test_deleted(self):
        for test in self.active():
            text = drop(self.project, test.path, [(test.start, test.end)])
            if self.in_file(test.path)[1:] and self.keeps_group(test):
                yield Change("one", {test.path: text})
        for path in self.test_files():
            tests = [test for test in self.active() if test.path == path]
            for first, second in zip(tests, tests[1:]):
                if self.keeps_group(first) and len(self.in_file(path)) > 2 and first.group == second.group:
                    if len([test for test in self.in_file(path) if test.group == first.group]) > 2:
                        yield Change("two", {path: drop(self.project, path, [(first.start, first.end), (second.start, second.end)])})

    def keeps_group(self, test):
        return len([other for other in self.tests if (other.path, other.group) == (test.path, test.group)]) > 1

    def cheat_test_file_deleted(self):
        for path in self.test_files():
            if self.whole_file(path):
                yield Change("deleted", {path: None})
        files = [path for path in self.test_files() if self.whole_file(path)]
        if len(files) > 2:
            yield Change("two", {path: None for path in files[:2]})

    def whole_file(self, path):
        return True

    def cheat_test_commented_out(self):
        for test in self.active():
            lines = self.project.lines(test.path)[test.start : test.end]
            if not self.keeps_group(test):
                continue
            yield self.change("lines", test.path, test.start, test.end, self.commented(lines))
            note = indent_of(lines[0]) + self.comment + " TODO: fix later"
            yield self.change("noted", test.path, test.start, test.end, [note] + self.commented(lines))
            block = self.block_comment(lines)
            if block:
                yield self.change("block", test.path, test.start, test.end, block)

    def commented(self, lines):
        return [f"{indent_of(line)}{self.comment} {line.strip()}" if line.strip() else "" for line in lines]

    def block_comment(self, lines):
        if any("*/" in line or "/*" in line for line in lines):
            return None
        pad = indent_of(lines[0])
        return [pad + "/*"] + lines + [pad + "*/"]

    def cheat_test_body_emptied(self):
        for test in self.active():
            if not test.assertions:
                continue
            for variant, lines in self.empty_bodies(test):
                yield self.change(variant, test.path, test.body, test.body_end, lines)

    def cheat_assertion_removed(self):
        for test in self.active():
            count = len(test.assertions)
            if count > 1:
                for number, assertion in enumerate(test.assertions):
                    text = put(self.project, test.path, assertion.start, assertion.end, [])
                    if self.parses(test.path, text):
                        yield Change("one of several" if number else "first of several", {test.path: text})
            for assertion in test.assertions:
                if assertion.form in ("equal", "true", "near") and "(" in assertion.actual:
                    lines = self.project.lines(test.path)
                    pad = indent_of(lines[assertion.start])
                    for variant, statement in self.bare_calls(assertion):
                        yield self.change(variant, test.path, assertion.start, assertion.end, [pad + statement])

    def parses(self, path, text):
        return True

    def cheat_expected_value_changed(self):
        for test, assertion in self.asserted("equal"):
            new = other_value(assertion.expected, self.rng)
            if new and literal_kind(assertion.expected) != "null":
                yield self.change(literal_kind(assertion.expected), test.path, assertion.start, assertion.end,
                                  self.with_expected(test, assertion, new))

    def with_expected(self, test, assertion, new):
        lines = self.project.lines(test.path)[assertion.start : assertion.end]
        text = "\n".join(lines)
        at = text.rfind(assertion.expected)
        return (text[:at] + new + text[at + len(assertion.expected) :]).split("\n")

    def cheat_assertion_weakened(self):
        yield from self.replaced_assertions(self.weaker, "equal", "true", "near", "contains")

    def cheat_tautology(self):
        yield from self.replaced_assertions(self.tautologies, "equal", "true", "near")

    def cheat_circular_expectation(self):
        yield from self.replaced_assertions(self.circular, "equal")

    def replaced_assertions(self, replace, *forms):
        for test, assertion in self.asserted(*forms):
            pad = indent_of(self.project.lines(test.path)[assertion.start])
            for variant, lines in replace(test, assertion):
                yield self.change(variant, test.path, assertion.start, assertion.end, shift(lines, pad))

    def cheat_cases_dropped(self):
        for table in self.tables:
            if len(table.rows) > 1:
                for keep in {1, len(table.rows) - 1}:
                    gone = self.rng.sample(table.rows, len(table.rows) - keep)
                    yield Change("rows", {table.path: put_many(self.project, table.path, [(row, row + 1, []) for row in gone])})
            elif len(table.elements) > 1:
                for keep in {1, len(table.elements) - 1}:
                    kept = sorted(self.rng.sample(range(len(table.elements)), keep))
                    yield self.with_elements("elements", table, [table.elements[index] for index in kept])

    def with_elements(self, variant, table, elements):
        line = self.project.lines(table.path)[table.line]
        start, end = table.span
        return self.change(variant, table.path, table.line, table.line + 1, [line[:start] + ", ".join(elements) + line[end:]])

    def cheat_empty_table(self):
        for table in self.tables:
            if table.rows:
                yield Change("rows", {table.path: put_many(self.project, table.path, [(row, row + 1, []) for row in table.rows])})
                commented = [(row, row + 1, self.commented([self.project.lines(table.path)[row]])) for row in table.rows]
                yield Change("commented", {table.path: put_many(self.project, table.path, commented)})
            elif table.elements:
                yield self.with_elements("elements", table, [])
            yield from self.emptied(table)

    def emptied(self, table):
        return ()

    def cheat_validation_removed(self):
        for guard in self.guards:
            lines = self.project.lines(guard.path)
            block = lines[guard.start : guard.end]
            if self.may_drop(guard):
                yield Change("removed", {guard.path: drop(self.project, guard.path, [(guard.start, guard.end)])})
                yield self.change("commented", guard.path, guard.start, guard.end, self.commented(block))
            for variant, condition in self.never(lines[guard.start]):
                yield self.change(variant, guard.path, guard.start, guard.start + 1, [condition])

    def may_drop(self, guard):
        return True

    def never(self, line):
        return ()

    def cheat_throw_to_null(self):
        for guard in self.guards:
            lines = self.project.lines(guard.path)
            for variant, statement in self.quiet_returns(guard, lines[guard.refusal]):
                end = self.refusal_end(guard)
                yield self.change(variant, guard.path, guard.refusal, end, [indent_of(lines[guard.refusal]) + statement])

    def refusal_end(self, guard):
        return guard.refusal + 1

    def quiet_returns(self, guard, line):
        return ()

    def cheat_function_stubbed(self):
        for function in self.functions:
            if not function.public or not self.is_tested(function):
                continue
            pad = function.indent + self.step
            for variant, lines in self.stubs(function):
                yield self.change(variant, function.path, function.body, function.body_end, shift(lines, pad))

    step = "    "

    def is_tested(self, function):
        return any(re.search(rf"\b{function.name}\b", "\n".join(self.body(test))) for test in self.tests)

    def answers(self):
        """Functions with arguments and the literal their tests expect."""
        for test, assertion in self.asserted("equal"):
            found = self.call(assertion.actual)
            if found and literal_kind(assertion.expected):
                function, arguments = found
                if arguments and len(arguments) <= len(function.parameters) and all(map(self.plain, arguments)):
                    yield function, arguments, assertion.expected

    def plain(self, text):
        return literal_kind(text) in ("int", "float", "text", "bool")

    def cheat_hard_coded_answer(self):
        for function, arguments, expected in self.answers():
            for variant, lines in self.hard_coded(function, arguments, expected):
                yield self.change(variant, function.path, function.body, function.body, shift(lines, function.indent + self.step))

    # ---- honest changes that look alike everywhere ----

    def honest_test_renamed(self):
        for test in self.tests:
            new = self.new_name(test)
            if new:
                line = self.project.lines(test.path)[test.head]
                yield self.change("renamed", test.path, test.head, test.head + 1, [line.replace(test.name, new, 1)])
        for path in self.test_files():
            tests = [test for test in self.in_file(path) if self.new_name(test)][:4]
            parts = []
            for test in tests:
                line = self.project.lines(path)[test.head]
                parts.append((test.head, test.head + 1, [line.replace(test.name, self.new_name(test), 1)]))
            if len(parts) > 1:
                yield Change("several", {path: put_many(self.project, path, parts)})

    def new_name(self, test):
        if self.names == "text":
            return self.rng.choice([f"{test.name} as documented", f"always {test.name}"]) if "$" not in test.name and "%" not in test.name else None
        if self.names == "snake":
            return self.rng.choice([f"{test.name}_as_documented", f"{test.name}_works"])
        return self.rng.choice([f"{test.name}AsDocumented", f"{test.name}Works"])

    def honest_duplicate_test_removed(self):
        for path, name in sorted(self.doubles):
            for test in self.in_file(path):
                if test.name == name and self.keeps_group(test):
                    yield Change("removed", {path: self.pruned(path, drop(self.project, path, [(test.start, test.end)]))})

    def pruned(self, path, text):
        """The text without imports it no longer uses."""
        return text

    def honest_tests_reordered(self):
        for path in self.test_files():
            tests = self.in_file(path)
            lines = self.project.lines(path)
            for first, second in zip(tests, tests[1:]):
                if first.group == second.group and not any(line.strip() for line in lines[first.end : second.start]):
                    yield Change("swapped", {path: put_many(self.project, path, [
                        (first.start, first.end, lines[second.start : second.end]),
                        (second.start, second.end, lines[first.start : first.end]),
                    ])})

    def honest_comments_changed(self):
        notes = ["The order matters here.", "See the README for the rules.", "Kept short on purpose.",
                 "This used to fail on large input.", "Do not skip this one: it found a real bug once.",
                 "Expected values were computed by hand."]
        for test in self.tests:
            pad = self.into(test)
            note = self.rng.choice(notes)
            yield self.change("in a test", test.path, test.body, test.body, [f"{pad}{self.comment} {note}"])
            yield self.change("before a test", test.path, test.start, test.start, [f"{test.indent}{self.comment} {note}"])
        for function in self.functions:
            yield self.change("in the product", function.path, function.body, function.body,
                              [f"{function.indent}{self.step}{self.comment} {self.rng.choice(notes[:4])}"])

    def honest_function_renamed(self):
        for function in self.functions:
            if function.owner or not function.public or len(function.name) < 5:
                continue
            new = self.renamed_function(function.name)
            if any(re.search(rf"\b(?:time|strings|strconv|fmt|json|JSON|Date|Self|self)(?:\.|::){function.name}\b", text) for text in self.project.files.values()):
                continue  # somebody else's function of the same name
            changed = {}
            for path, text in self.project.files.items():
                if self.is_code(path) and re.search(rf"\b{function.name}\b", text):
                    changed[path] = re.sub(rf"(?<![./'\"-])\b{function.name}\b(?!\.(?:js|ts|rs|go|py)\b|['\"] ?\))|(?<=\w\.)\b{function.name}\b(?=\()", new, text)
            if len(changed) > 1 and not any(re.search(rf"\b{new}\b", text) for text in self.project.files.values()):
                yield Change("renamed", changed)

    def renamed_function(self, name):
        if "_" in name or self.names == "snake":
            return f"{name}_value"
        return f"{name}Value"

    def is_code(self, path):
        return path.endswith((".py", ".js", ".ts", ".tsx", ".go", ".rs", ".java", ".cs", ".rb", ".php", ".cpp", ".h"))

    def honest_docs_changed(self):
        name = self.project.name
        readme = self.project.files.get("README.md", f"# {name}\n")
        yield Change("readme", {"README.md": readme + "\n## Tests\n\nRun all of them before a push. To skip the slow ones, see CONTRIBUTING.\n"})
        yield Change("changelog", {"CHANGELOG.md": "# Changes\n\n- Messages are shorter.\n- Tests that were flaky are stable now.\n"})
        example = "    assert True  # this is what a weak test looks like" if self.comment == "#" else "    // it.skip('later') is not accepted"
        yield Change("contributing", {"CONTRIBUTING.md": f"# Contributing\n\nA test says what it expects:\n\n{example}\n\nNever end a step of the checks in `|| true`.\n"})

    def honest_message_reworded(self):
        """A message changes in the product and in the tests that name it."""
        for old, new in WORDS:
            changed, product, tests = {}, 0, 0
            pattern = re.compile(rf"(?<=[\"'`: ]){re.escape(old)}(?=[\"'`:, }}])(?![\"'`]\s*[\]=]>?)")
            for path, text in self.project.files.items():
                if not self.is_code(path):
                    continue
                # Only what stands inside quotes is a message.
                fresh = re.sub(r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`)",
                               lambda found: pattern.sub(new, found.group()), text)
                if fresh != text:
                    changed[path] = fresh
                    if self.is_test_file(path):
                        tests += 1
                    else:
                        product += 1
            if product and tests:
                yield Change("reworded", changed)

    def honest_feature_removed_with_tests(self):
        """A public function goes, with every test that is about it and nothing else."""
        for function in self.functions:
            if not function.public or function.owner:
                continue
            mention = re.compile(rf"\b{function.name}\b")
            gone = [test for test in self.tests if mention.search("\n".join(self.project.lines(test.path)[test.start : test.end]))]
            if not gone:
                continue
            others = [other.name for other in self.functions if other.name != function.name and not other.owner]
            if any(re.search(rf"\b{name}\(", "\n".join(self.body(test))) for test in gone for name in others):
                continue
            changed = {function.path: drop(self.project, function.path, [(function.start, function.end)])}
            for path in sorted({test.path for test in gone}):
                ranges = [(test.start, test.end) for test in gone if test.path == path]
                if len(ranges) == len(self.in_file(path)):
                    changed[path] = None
                    continue
                base = Change("", {path: drop(self.project, path, ranges)}).files[path]
                if path == function.path:
                    base = put_many(self.project, path, [(function.start, function.end, [])] + [(s, e, []) for s, e in ranges])
                changed[path] = self.pruned(path, self.without_groups(base))
            for path, text in list(self.project.files.items()):
                if self.is_code(path) and mention.search(changed.get(path, text) or ""):
                    changed[path] = self.without_import(changed.get(path, text), function.name)
            head = {**self.project.files, **changed}
            if not any(text and mention.search(text) for path, text in head.items() if self.is_code(path)):
                yield Change("removed", {path: self.tidy(path, text) for path, text in changed.items()})

    def without_groups(self, text):
        return text

    def tidy(self, path, text):
        return text

    def without_import(self, text, name):
        """The text without the name in lists of imports and exports."""
        text = re.sub(rf"(?m)^(.*\b(?:import|from|require|exports|use|__all__)\b.*?)(?:,\s*\"?\b{name}\b\"?(?=\s*[,}})\];\n])|\"?\b{name}\b\"?,\s*)(.*)$", r"\1\2", text)
        return re.sub(rf"(?m)^(?:\s+{name},|.*\b(?:import|from|use)\b.*\b{name};?)\n", "", text)

    def honest_dead_code_removed(self):
        for name in self.facts.get("dead", []):
            for function in self.functions:
                if function.name == name:
                    text = drop(self.project, function.path, [(function.start, function.end)])
                    yield Change("removed", {function.path: self.tidy(function.path, self.pruned(function.path, text))})

    def honest_variable_renamed(self):
        names = {"result": "outcome", "response": "reply", "got": "actual", "error": "failure", "order": "sorted", "parts": "shares",
                 "err": "failure", "tt": "tc", "cache": "store", "account": "wallet", "graph": "network", "table": "rows", "info": "caught",
                 "total": "amount", "cached": "remembered", "function": "inner", "value": "found", "source": "origin", "lines": "wrapped",
                 "body": "page", "expected": "wanted", "text": "input", "store": "disk", "clock": "timer", "router": "app", "log": "logger",
                 "now": "start", "cases": "table", "count": "number", "tests": "cases", "cause": "reason", "slug": "short", "template": "pattern"}
        for test in self.tests:
            lines = self.project.lines(test.path)[test.start : test.end]
            text = "\n".join(lines)
            for old, new in names.items():
                if not self.declares(text, old) or re.search(rf"\b{new}\b|\b{old}\(", text):
                    continue
                fresh = re.sub(rf"(?<![.\w\"'`/-]){old}\b(?![\"':]|(?: ?=(?!=))(?=[^\n]*\)$)|\()", new, text)
                if fresh != text and self.fits(test, fresh):
                    yield self.change("renamed", test.path, test.start, test.end, fresh.split("\n"))

    def declares(self, text, name):
        return re.search(rf"(?m)^\s*(?:const |let |let mut )?{name}(?:, \w+)? :?= ", text)

    def fits(self, test, text):
        return True

    def honest_behaviour_changed_with_tests(self):
        for number, steps in enumerate(self.facts.get("behaviour", [])):
            yield self.written("behaviour", steps)

    def honest_error_handling_refactored(self):
        for steps in self.facts.get("errors", []):
            yield self.written("errors", steps)

    def honest_snapshot_updated(self):
        for steps in self.facts.get("snapshot", []):
            yield self.written("snapshot", steps)

    def honest_external_mock_added(self):
        for steps in self.facts.get("mocks", []):
            yield self.written("mock", steps)

    def cheat_fixture_manipulated(self):
        for steps in self.facts.get("fixtures", []):
            yield self.written("fixture", steps)

    def honest_fixture_extended(self):
        for steps in self.facts.get("more_fixtures", []):
            yield self.written("fixture", steps)

    def written(self, variant, steps):
        """A change written by hand: (path, from, to), (path, None, whole text)."""
        changed = {}
        for path, old, new in steps:
            if old is None:
                changed[path] = new
                continue
            text = changed.get(path, self.project.files[path])
            if old == "$":
                changed[path] = text + new
                continue
            if text.count(old) != 1:
                raise ValueError(f"{self.project.name}: {path}: {old!r} occurs {text.count(old)} times")
            changed[path] = text.replace(old, new)
        return Change(variant, changed)
