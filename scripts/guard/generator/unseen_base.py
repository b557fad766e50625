"""What the languages of the unseen part share: which changes there are. Each language says how it writes them."""
import random
import re

from .tree import Change
from .unseen_sites import FINDERS, SUFFIX, Files, pad_of, top_commas

REASONS = [
    "flaky", "flaky on CI", "temporarily disabled", "to be fixed later", "broken after the refactoring", "needs a rewrite",
    "takes too long", "does not work right now", "disabled until the next release", "not relevant at the moment",
]


def shifted(lines, pad):
    return [pad + line if line.strip() else line for line in lines]


def number_in(text):
    return re.fullmatch(r"-?\d[\d_]*(?:\.\d+)?", text.strip())


def plain_text(text):
    return re.fullmatch(r"'(?:[^'\\\n])+'|\"(?:[^\"\\\n])+\"", text.strip())


def wrong(text, rng):
    """Another value of the same shape, or None."""
    text = text.strip()
    if number_in(text):
        bare = text.replace("_", "")
        if "." in bare:
            return f"{float(bare) + rng.choice([0.5, 1, 2]):g}" if float(bare) + 0.5 != int(float(bare) + 0.5) else f"{float(bare) + 1:.1f}"
        return str(int(bare) + rng.choice([1, 2, 5, 10]))
    if plain_text(text):
        inner = text[1:-1]
        return text[0] + rng.choice([inner[:-1] or "?", inner + inner[-1], inner.swapcase() if inner.swapcase() != inner else inner + "!", "-" + inner]) + text[-1]
    if text in ("true", "false", "True", "False"):
        return {"true": "false", "false": "true", "True": "False", "False": "True"}[text]
    return None


class Tongue:
    """A project, its places, and the changes that can be made there."""
    comment = "//"

    def __init__(self, project, seed, facts):
        self.project, self.facts = project, facts
        self.rng = random.Random(f"{seed}/unseen/{project.name}")
        self.files = Files(project, self.rng)
        self.style = project.framework
        self.cases, self.bodies, self.refusals = [], [], []
        for path in sorted(project.files):
            if path.endswith(SUFFIX[project.language]):
                tests, bodies, refusals = FINDERS[project.language](self.files, path, project.framework)
                self.cases += tests
                self.bodies += bodies
                self.refusals += refusals
        self.tests = {case.path for case in self.cases}

    # ---- helpers ----

    def done(self, change):
        """The last touch: imports and the like."""
        return change

    def reason(self):
        return self.rng.choice(REASONS)

    def source(self, path, start, end):
        return self.files.lines(path)[start:end]

    def at_check(self, variant, case, check, new):
        pad = pad_of(self.files.lines(case.path)[check.start])
        return self.done(self.files.put(variant, case.path, (check.start, check.end, shifted(new, pad))))

    def in_body(self, variant, case, new):
        return self.done(self.files.put(variant, case.path, (case.body, case.body, shifted(new, case.pad))))

    def as_body(self, variant, case, new):
        return self.done(self.files.put(variant, case.path, (case.body, case.body_end, shifted(new, case.pad))))

    def last(self, case, check):
        """Nothing after an assertion hangs on what it does."""
        return check is case.checks[-1] or all("(" in later.actual and later.actual != check.actual and not later.actual.startswith("self.") for later in case.checks if later.start > check.start)

    def checks(self, *forms):
        for case in self.cases:
            for check in case.checks:
                if check.form in forms:
                    yield case, check

    def body_lines(self, case):
        lines = self.source(case.path, case.body, case.body_end)
        return [line[len(case.pad):] if line.startswith(case.pad) else line for line in lines]

    def written(self, variant, steps):
        """A change written by hand: (path, from, to), (path, None, text), (path, "$", text after the end), (path, "move", to)."""
        changed, moves = {}, {}
        for path, old, new in steps:
            if old == "move":
                moves[path] = new
                continue
            if old is None:
                changed[path] = new
                continue
            source = next((before for before, after in moves.items() if after == path), path)
            text = changed.get(path, self.project.files.get(source, ""))
            if old == "$":
                changed[path] = text + new
                continue
            if text.count(old) != 1:
                raise ValueError(f"{self.project.name}: {path}: {old!r} occurs {text.count(old)} times")
            changed[path] = text.replace(old, new)
        return Change(variant, changed, moves)

    # ---- cheats every language can do ----

    def cheat_test_deleted(self):
        for case in self.cases:
            yield self.done(self.files.without("one", case.path, case.start, case.end))
        for first, second in zip(self.cases, self.cases[1:]):
            if first.path == second.path and first.pad == second.pad and not self.files.lines(first.path)[first.end : second.start][1:-1]:
                yield self.done(self.files.without("two", first.path, first.start, second.end))

    def cheat_test_file_deleted(self):
        for path in sorted(self.tests):
            if path not in self.facts.get("needed", ()) and (not path.startswith("src/") or self.project.language != "rust"):
                yield Change("gone", {path: None})

    def cheat_test_commented_out(self):
        for case in self.cases:
            lines = self.source(case.path, case.start, case.end)
            pad = pad_of(lines[0])
            turned = [f"{pad}{self.comment} {line[len(pad):]}".rstrip() if line.strip() else line for line in lines]
            note = [f"{pad}{self.comment} {self.rng.choice(['TODO: fix', 'Disabled: fails since the refactoring', 'FIXME', 'Skipped for now.'])}"]
            yield self.done(self.files.put("plain", case.path, (case.start, case.end, turned)))
            yield self.done(self.files.put("with a note", case.path, (case.start, case.end, note + turned)))

    def cheat_assertion_removed(self):
        for case in self.cases:
            telling = [check for check in case.checks if self.last(case, check) and check.form not in ("other", "noerror")]
            if len(case.checks) > 1 and telling:
                check = self.rng.choice(telling)
                yield self.done(self.files.without("one", case.path, check.start, check.end))
                if case.checks[0].end == case.checks[-1].start and case.checks[-1] in telling:
                    yield self.done(self.files.without("last", case.path, case.checks[-1].start, case.checks[-1].end))

    def cheat_assertion_commented_out(self):
        for case in self.cases:
            for check in case.checks:
                lines = self.source(case.path, check.start, check.end)
                pad = pad_of(lines[0])
                turned = [f"{pad}{self.comment} {line[len(pad):]}" for line in lines]
                last = len(case.checks) == 1
                if self.project.language == "python" and last and check.start == case.body and check.end == case.body_end:
                    turned.append(f"{pad}pass")
                if (self.project.language == "python" and pad != case.pad) or not self.last(case, check):
                    continue
                yield self.done(self.files.put("only one" if last else "one of several", case.path, (check.start, check.end, turned)))

    def cheat_test_body_emptied(self):
        for case in self.cases:
            for variant, new in self.empty_bodies(case):
                yield self.as_body(variant, case, new)

    def cheat_early_return(self):
        for case in self.cases:
            if case.checks:
                for variant, new in self.returns(case):
                    yield self.in_body(variant, case, new)

    def cheat_early_exit(self):
        for case in self.cases:
            for variant, new in self.exits(case):
                yield self.in_body(variant, case, new)

    def cheat_tautology(self):
        for case, check in self.checks("equal", "true", "raises", "near"):
            for variant, new in self.tautologies(case, check):
                yield self.at_check(variant, case, check, new)

    def cheat_circular_expectation(self):
        for case, check in self.checks("equal"):
            if re.search(r"[(.]", check.actual) and "await" not in check.actual:
                for variant, new in self.circles(case, check):
                    yield self.at_check(variant, case, check, new)

    def cheat_assertion_weakened(self):
        for case, check in self.checks("equal", "near"):
            for variant, new in self.weaker(case, check):
                yield self.at_check(variant, case, check, new)

    def cheat_assertion_logged(self):
        for case, check in self.checks("equal", "true", "near"):
            for variant, new in self.logs(case, check):
                yield self.at_check(variant, case, check, new)

    def cheat_assertion_not_run(self):
        for case, check in self.checks("equal", "raises", "true", "near"):
            if not self.last(case, check):
                continue
            bare = [line[len(pad_of(self.files.lines(case.path)[check.start])):] for line in self.source(case.path, check.start, check.end)]
            for variant, new in self.unrun(case, check, bare):
                yield self.at_check(variant, case, check, new)

    def cheat_expected_value_changed(self):
        for case, check in self.checks("equal"):
            value = wrong(check.expected, self.rng)
            if value is None or (self.project.language == "go" and self.style == "testing"):
                continue
            lines = self.source(case.path, check.start, check.end)
            text = "\n".join(lines)
            if text.count(check.expected) == 1:
                kind = "number" if number_in(value) else "bool" if value.lower() in ("true", "false") else "text"
                yield self.done(self.files.put(kind, case.path, (check.start, check.end, text.replace(check.expected, value).split("\n"))))

    def cheat_any_of_several(self):
        for case, check in self.checks("equal"):
            value = wrong(check.expected, self.rng)
            if value and "(" in check.actual:
                for variant, new in self.either(case, check, value):
                    yield self.at_check(variant, case, check, new)

    def cheat_exception_swallowed_in_test(self):
        for case in self.cases:
            if case.checks:
                for variant, new in self.swallowed(case):
                    yield self.as_body(variant, case, new)

    def paired(self):
        """Refusals of the product with the assertion that proves each."""
        for place in self.refusals:
            if any(word in self.files.lines(place.path)[place.at] for word in self.facts.get("elsewhere", ())):
                continue  # other tests would notice as well
            said = "\n".join(self.source(place.path, place.start, place.end))
            for case, check in self.checks("raises"):
                asked = "\n".join(self.source(case.path, check.start, check.end))
                words = [word for word in re.findall(r"[A-Za-z]+(?: [A-Za-z]+)+", asked) if len(word) > 6]
                if any(word in said for word in words) and not case.table and [item.form for item in case.checks].count("raises") == 1:
                    yield place, case, check

    def both(self, variant, place, new, case, check, test_lines):
        """A refusal rewritten together with the assertion that would notice."""
        lines = self.files.lines(case.path)
        if len(case.checks) == 1 and not test_lines:
            other = "\n".join(self.files.cut(case.path, case.start, case.end)).rstrip("\n") + "\n"
        elif not test_lines:
            other = "\n".join(self.files.cut(case.path, check.start, check.end))
        else:
            pad = pad_of(lines[check.start])
            other = "\n".join(lines[: check.start] + shifted(test_lines, pad) + lines[check.end :])
        if new is None:
            change = self.files.without(variant, place.path, place.start, place.end)
        else:
            change = self.files.put(variant, place.path, (place.at, place.stop, shifted(new, place.pad + self.step)))
        if case.path == place.path:
            return None
        return self.done(Change(variant, {**change.files, case.path: other}))

    def cheat_validation_removed(self):
        for place, case, check in self.paired():
            yield self.both("with its assertion", place, None, case, check, [])

    def cheat_throw_to_null(self):
        for place, case, check in self.paired():
            for variant, new, test_lines in self.nothing(place, case, check):
                yield self.both(variant, place, new, case, check, test_lines)

    def cheat_product_commented_out(self):
        for body in self.bodies:
            if body.name not in self.facts.get("leaves", ()):
                continue
            files = {}
            for case in reversed(self.cases):
                if re.search(rf"\b{body.name}\b", "\n".join(self.source(case.path, case.start, case.end))):
                    text = files.get(case.path, self.project.files[case.path])
                    block = "\n".join(self.source(case.path, case.start, case.end)) + "\n"
                    files[case.path] = text.replace(block, "")
            for variant, rest in self.stubs(body):
                lines = [f"{body.pad}{self.comment} {line.strip()}" if line.strip() else line for line in self.source(body.path, body.body, body.body_end)]
                yield self.done(self.files.put(variant, body.path, (body.body, body.body_end, lines + shifted(rest, body.pad)), more=files))

    def cheat_hard_coded_answer(self):
        for name, arguments, result in self.facts.get("answers", ()):
            for body in self.bodies:
                if body.name == name and len(body.inputs) >= len(arguments):
                    yield self.done(self.files.put("one", body.path, (body.body, body.body, shifted(self.known(self.same(body, arguments), result), body.pad))))
        by_name = {}
        for name, arguments, result in self.facts.get("answers", ()):
            by_name.setdefault(name, []).append((arguments, result))
        for name, found in by_name.items():
            for body in self.bodies:
                if body.name == name and len(found) > 1:
                    lines = [line for arguments, result in found for line in self.known(self.same(body, arguments), result)]
                    yield self.done(self.files.put("several", body.path, (body.body, body.body, shifted(lines, body.pad))))

    def cheat_test_detection(self):
        for name, arguments, result in self.facts.get("answers", ()):
            for body in self.bodies:
                if body.name == name:
                    for variant, condition, line in self.detects():
                        both = f"{condition} {self.both_true} {self.same(body, arguments)}" if arguments else condition
                        change = self.files.put(variant, body.path, (body.body, body.body, shifted(self.known(both, result), body.pad)))
                        yield self.imported(change, body.path, line)

    def same(self, body, arguments):
        return f" {self.both_true} ".join(f"{name} {self.equals} {value}" for name, value in zip(body.inputs, arguments))

    def imported(self, change, path, line):
        return change

    # ---- changes written by hand ----

    def by_hand(self, kind):
        for steps in self.facts.get(kind, ()):
            yield self.written("by hand", steps)
