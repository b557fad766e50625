"""Honest changes of the unseen part that can be derived from the projects' text."""
import re

from .tree import Change
from .unseen_sites import block_stop, pad_of, top_commas


def snake(name):
    return re.sub(r"\W+", "_", name).strip("_").lower()


class Honest:
    """Mixed into each language; relies on what `Tongue` found."""

    @property
    def language(self):
        return self.project.language

    def gap(self, case):
        return ["", ""] if self.language == "python" and not case.pad[4:] else [""]

    # ---- tests keep what they check ----

    def renamed(self, name):
        if self.language in ("javascript", "typescript"):
            return self.rng.choice([f"{name} as documented", f"always {name}", f"still {name}", f"{name} (see README)"])
        if self.language == "go":
            return name + self.rng.choice(["Behaviour", "Basics", "Rules", "AsDocumented"])
        return name + self.rng.choice(["_as_documented", "_always", "_basics", "_rule"])

    def honest_test_renamed(self):
        for case in self.cases:
            lines = self.source(case.path, case.start, case.body)
            text = "\n".join(lines)
            if case.name and text.count(case.name) == 1 and "'" not in case.name and "`" not in text:
                yield self.files.put("name", case.path, (case.start, case.body, text.replace(case.name, self.renamed(case.name)).split("\n")))

    def honest_tests_reordered(self):
        for first, second in zip(self.cases, self.cases[1:]):
            if first.path == second.path and first.pad == second.pad and first.group == second.group and first.end <= second.start:
                between = self.source(first.path, first.end, second.start)
                if not any(line.strip() for line in between):
                    yield self.files.put("swapped", first.path, (first.start, second.end, self.source(first.path, second.start, second.end) + between + self.source(first.path, first.start, first.end)))

    def honest_assertion_message_added(self):
        for case, check in self.checks("equal"):
            lines = self.source(case.path, check.start, check.end)
            text = "\n".join(lines)
            note = self.rng.choice(["as documented", "see the README", "the rule of the house", "for people to read"])
            if self.language == "python" and len(lines) == 1:
                new = f'{text}, "{note}"' if self.style == "pytest" else re.sub(r"\)$", f', "{note}")', text)
            elif self.language == "rust" and len(lines) == 1 and text.count('"{') == 0:
                new = re.sub(r"\);$", f', "{note}");', text)
            elif self.style == "testify":
                new = re.sub(r"\)$", f', "{note}")', text)
            elif self.style == "node:test" and len(lines) == 1 and "await" not in text:
                new = re.sub(r"\);$", f", '{note}');", text)
            elif self.style in ("mocha", "vitest") and len(lines) == 1 and "await" not in text:
                new = text.replace(f"expect({check.actual})", f"expect({check.actual}, '{note}')", 1)
            elif self.style == "testing" and "t.Errorf(\"got" in text:
                new = text.replace('t.Errorf("got', f't.Errorf("{note}: got', 1)
            else:
                continue
            if new != text:
                yield self.files.put("message", case.path, (check.start, check.end, new.split("\n")))

    def honest_value_extracted(self):
        for case, check in self.checks("equal"):
            lines = self.source(case.path, check.start, check.end)
            text = "\n".join(lines)
            if case.table or text.count(check.expected) != 1 or pad_of(lines[0]) != case.pad or self.style == "testing":
                continue
            if not re.fullmatch(r"-?[\d_]+(?:\.\d+)?|'[^']*'|\"[^\"\\]*\"|\[['\d].*\]", check.expected):
                continue
            if self.language == "go" and check.expected.startswith("["):
                continue
            name = self.rng.choice(["expected", "wanted", "answer"])
            whole = "\n".join(self.source(case.path, case.body, case.body_end))
            if re.search(rf"\b{name}\b", whole):
                continue
            declared = {"python": f"{name} = {check.expected}", "go": f"{name} := {check.expected}", "rust": f"let {name} = {check.expected};"}.get(self.language, f"const {name} = {check.expected};")
            used = text.replace(check.expected, name)
            yield self.files.put("named", case.path, (check.start, check.end, [case.pad + declared, *used.split("\n")]))

    def honest_comments_changed(self):
        notes = ["The order of these does not matter.", "Kept small on purpose: one rule per test.", "See the README for the rule behind this.", "Numbers were worked out by hand."]
        for case in self.cases:
            note = f"{self.comment} {self.rng.choice(notes)}"
            yield self.files.put("in a test", case.path, (case.body, case.body, [case.pad + note]))
        for body in self.bodies:
            note = f"{self.comment} {self.rng.choice(['Cheap enough to do on every call.', 'Callers rely on this order.', 'Kept apart so that it can be read on its own.'])}"
            yield self.files.put("in the product", body.path, (body.body, body.body, [body.pad + note]))

    def honest_formatting(self):
        for case in self.cases:
            for check in case.checks:
                lines = self.source(case.path, check.start, check.end)
                pad = pad_of(lines[0])
                if len(lines) == 1 and self.language == "python" and check.form == "equal" and self.style == "unittest":
                    yield self.files.put("wrapped", case.path, (check.start, check.end, [f"{pad}self.{check.how}(", f"{pad}    {check.actual},", f"{pad}    {check.expected},", f"{pad})"]))
                elif len(lines) == 1 and self.language == "python" and check.form == "equal":
                    yield self.files.put("wrapped", case.path, (check.start, check.end, [f"{pad}assert (", f"{pad}    {check.actual}", f"{pad}    == {check.expected}", f"{pad})"]))
                elif len(lines) == 1 and self.language == "rust" and check.how == "assert_eq":
                    arguments = top_commas(lines[0].strip()[len("assert_eq!("):-2], True)
                    yield self.files.put("wrapped", case.path, (check.start, check.end, [f"{pad}assert_eq!(", *[f"{pad}    {argument}," for argument in arguments][:-1], f"{pad}    {arguments[-1]}", f"{pad});"]))
                elif len(lines) == 1 and self.language in ("javascript", "typescript") and check.form == "equal" and check.expected:
                    new = lines[0].replace(f"({check.expected})", f"(\n{pad}  {check.expected},\n{pad})") if self.style != "node:test" else lines[0].replace(f"{check.actual}, {check.expected}", f"\n{pad}  {check.actual},\n{pad}  {check.expected},\n{pad}")
                    if new != lines[0] and "await" not in new:
                        yield self.files.put("wrapped", case.path, (check.start, check.end, new.split("\n")))
                elif len(lines) == 1 and self.style == "testify" and check.form == "equal":
                    opened = lines[0].index("(", lines[0].index("Equal"))
                    arguments = top_commas(lines[0][opened + 1 : -1])
                    yield self.files.put("wrapped", case.path, (check.start, check.end, [lines[0][: opened + 1], *[f"{pad}\t{argument}," for argument in arguments], f"{pad})"]))
        for case in self.cases:
            if case.checks and case.checks[0].start > case.body and self.files.lines(case.path)[case.checks[0].start - 1].strip() and pad_of(self.files.lines(case.path)[case.checks[0].start]) == case.pad:
                at = case.checks[0].start
                yield self.files.put("blank line", case.path, (at, at, [""]))

    def honest_assertions_added(self):
        for test, actual, expected in self.facts.get("more", ()):
            for case in self.cases:
                if case.name == test:
                    yield self.done(self.files.put("one more", case.path, (case.body_end, case.body_end, [case.pad + line for line in self.said(case, actual, expected)])))

    def said(self, case, actual, expected):
        """A further assertion of what is true."""
        if self.language == "python":
            return [f"assert {actual} == {expected}"] if self.style == "pytest" else [f"self.assertEqual({actual}, {expected})"]
        if self.language == "rust":
            return [f"assert_eq!({actual}, {expected});"]
        if self.style == "testing":
            return [f"if got := {actual}; got != {expected} {{", f'\tt.Errorf("got %v", got)', "}"]
        if self.style == "testify":
            return [f"s.Equal({expected}, {actual})" if self.suite(case) else f"assert.Equal(t, {expected}, {actual})"]
        if self.style == "node:test":
            return [f"assert.deepEqual({actual}, {expected});"]
        return [f"expect({actual}).{'to.deep.equal' if self.style == 'mocha' else 'toEqual'}({expected});"]

    def honest_tests_added(self):
        for test, actual, expected in self.facts.get("more", ()):
            for case in self.cases:
                if case.name == test and not case.table:
                    title = self.rng.choice(["one more example", "a further example", "an example of a user"])
                    yield self.done(self.files.put("test", case.path, (case.end, case.end, self.new_test(case, title, self.said(case, actual, expected)))))

    def new_test(self, case, title, body):
        pad = case.pad[: -len(self.step)]
        lines = [case.pad + line if line else line for line in body]
        if self.language == "python":
            return [*self.gap(case), f"{pad}def test_{snake(title)}({'self' if case.group else ''}):", *lines]
        if self.language == "rust":
            return ["", f"{pad}#[test]", f"{pad}fn {snake(title)}() {{", *lines, f"{pad}}}"]
        if self.language == "go":
            name = "".join(word.capitalize() for word in title.split())
            owner = re.match(r"func (\(s \*\w+\) )?", self.files.lines(case.path)[case.head]).group(1)
            return ["", f"func {owner or ''}Test{name}({'' if owner else 't *testing.T'}) {{", *lines, "}"]
        word = re.match(r"\s*(?:await )?(it|test|t\.test)", self.files.lines(case.path)[case.head]).group(1)
        return ["", f"{pad}{'await ' if word == 't.test' else ''}{word}('{title}', () => {{", *lines, f"{pad}}});"]

    def honest_cases_added(self):
        for path, row, new in self.facts.get("rows", ()):
            yield self.written("row", [(path, row, row + new)])

    def honest_variable_renamed(self):
        names = {"found": "result", "tracks": "songs", "decision": "verdict", "cues": "entries", "code": "signal", "article": "item", "box": "area", "fixes": "points",
                 "options": "settings", "children": "quarters", "text": "shown", "settings": "options", "tracks": "list", "sorted": "ordered", "half": "smaller", "result": "outcome",
                 "error": "problem", "half": "smaller", "session": "visit", "later": "moved", "stretched": "slower", "cleaned": "tidied", "label": "sticker", "total": "sum", "open": "missing",
                 "took": "spent", "sheet": "song_text", "frequency": "hertz", "expected": "wanted", "paris": "word", "robots": "file", "started": "begun", "orders": "recorded", "events": "messages",
                 "plain": "bare", "info": "entry", "first": "original", "pantry": "larder", "line": "sentence", "policy": "rules", "there": "forth", "both": "whole", "tile": "square", "counts": "tally"}
        for case in self.cases:
            text = "\n".join(self.source(case.path, case.body, case.body_end))
            for old, new in names.items():
                declared = re.search(rf"(?m)^\s*(?:const |let mut |let |)\(?{old}(?:, \w+)?\)?(?:: \w+)? :?= ", text)
                if declared and not re.search(rf"\b{new}\b", text) and not re.search(rf"[.{{'\"]\s*{old}\b|\b{old}(?:[:'\"]|=(?!=))|{old} = ", text[declared.end():]) and not re.search(rf"self\.{old}|{{{old}", text):
                    yield self.files.put(old, case.path, (case.body, case.body_end, re.sub(rf"(?<![.\w/'\"]){old}\b(?!['\"/.]\w*['\"])", new, text).split("\n")))

    def honest_function_renamed(self):
        for old, new in self.facts.get("rename", ()):
            files = {}
            for path, text in self.project.files.items():
                turned = re.sub(rf"(?<![\w#]){old}\b(?!['\"]?:)", new, text)
                if turned != text and path.endswith((".py", ".js", ".ts", ".go", ".rs", ".md")):
                    files[path] = turned
            yield Change(old, files)

    def honest_test_file_renamed(self):
        for path in sorted(self.tests):
            folder, _, name = path.rpartition("/")
            stem = {"python": (r"test_(\w+)\.py", r"test_{}_rules.py"), "go": (r"(\w+)_test\.go", r"{}_rules_test.go"), "rust": (r"(\w+)\.rs", "{}_rules.rs"),
                    "javascript": (r"([\w-]+)\.(test|spec)\.js", None), "typescript": (r"([\w-]+)\.(test|spec)\.ts", None)}[self.language]
            found = re.fullmatch(stem[0], name)
            if not found or path.startswith("src/") or f"__snapshots__/{name}" in str(list(self.project.files)):
                continue
            new = stem[1].format(found.group(1)) if stem[1] else name.replace(found.group(1) + ".", found.group(1) + "-rules.", 1)
            text = self.project.files[path]
            if self.language == "rust" and path != f"tests/{name}":
                continue
            yield Change("renamed", {}, {path: f"{folder}/{new}" if folder else new})

    def honest_test_moved(self):
        """A test goes to a new file beside its own, with the imports that it needs."""
        for case in self.cases:
            if (case.group and self.language != "go") or case.path.startswith("src/") or case.pad != self.step:
                continue
            if self.language == "go" and self.suite(case):
                continue
            new = self.moved_file(case)
            if new:
                path, text = new
                rest = "\n".join(self.files.cut(case.path, case.start, case.end)).rstrip("\n") + "\n"
                yield self.done(Change("moved", {case.path: rest, path: text}))

    def moved_file(self, case):
        lines = self.files.lines(case.path)
        block = self.source(case.path, case.start, case.end)
        folder = case.path.rpartition("/")[0]
        if self.language == "go":
            imports = "\n".join(lines[: next(row for row, line in enumerate(lines) if line.startswith(")")) + 1])
            words = re.sub("(?<!^)([A-Z])", "_\\1", case.name.removeprefix("Test").removeprefix("Fuzz"))
            return (folder and folder + "/") + snake(words) + "_test.go", imports + "\n\n" + "\n".join(block) + "\n"
        if self.language == "python":
            first = next(row for row, line in enumerate(lines) if re.match(r"(?:def|class|@|[A-Za-z_]+ = )", line))
            names = [line for line in lines[:first]]
            used = "\n".join(block)
            if any(re.search(rf"\b{name}\b", used) for name in re.findall(r"(?m)^(?:def )?([A-Za-z_]\w*)(?: = |\()", "\n".join(lines)) if not name.startswith("test")):
                return None
            return f"{folder}/test_{case.name.removeprefix('test_')[:30].strip('_')}.py", "\n".join(names).strip("\n") + "\n\n\n" + used + "\n"
        if self.language == "rust":
            if "properties" in case.path:
                return None
            head = [line for line in lines if line.startswith("use ")]
            used = "\n".join(block)
            if re.search(r"\b(?:fixture|note|song|Tape|a: Note)\b", used):
                return None
            kept = [line for line in head if any(re.search(rf"\b{name}\b", used) for name in re.findall(r"(\w+)(?=[,};])", line))]
            return f"{folder}/{case.name}.rs", "\n".join(kept) + "\n\n" + used + "\n"
        if case.path.endswith((".js", ".ts")) and not case.table:
            first = next((row for row, line in enumerate(lines) if re.match(r"(?:describe|test|it|for|let|function|const [A-Za-z]+ = (?!require))", line) and "require(" not in line), 0)
            used = "\n".join(block)
            own = re.findall(r"(?m)^(?:const|let|function) \{?\s*(\w+)(?! = require|.*require\()", "\n".join(lines[first:]))
            if any(re.search(rf"\b{name}\b", used) for name in own) or first == 0:
                return None
            suffix = re.search(r"\.(?:test|spec)\.[jt]s$", case.path).group(0)
            return f"{folder}/{snake(case.name).replace('_', '-')}{suffix}", "\n".join(lines[:first]).rstrip("\n") + "\n\n" + used + "\n"
        return None

    def honest_tests_grouped(self):
        """Tests get a common group."""
        for first, second in zip(self.cases, self.cases[1:]):
            if first.path != second.path or first.group != second.group or first.pad != self.step or second.pad != self.step:
                continue
            if any(line.strip() for line in self.source(first.path, first.end, second.start)):
                continue
            block = self.source(first.path, first.start, second.end)
            name = self.rng.choice(["examples", "basics", "rules"])
            if self.language == "python" and self.style == "pytest":
                inner = [("    " + line if line.strip() else line) for line in block]
                inner = [re.sub(r"^    def (test_\w+)\((.*)\):", lambda found: f"    def {found.group(1)}(self{', ' if found.group(2) else ''}{found.group(2)}):", line) for line in inner]
                lines = [f"class Test{name.capitalize()}:"] + [line for row, line in enumerate(inner) if not (not line.strip() and row and not inner[row - 1].strip())]
                yield self.files.put("class", first.path, (first.start, second.end, lines))
            elif self.language == "rust" and first.path.startswith("tests/") and "properties" not in first.path and self.style == "builtin":
                lines = [f"mod {name} {{", "    use super::*;", "", *[("    " + line if line.strip() else line) for line in block], "}"]
                yield self.files.put("module", first.path, (first.start, second.end, lines))
            elif self.language in ("javascript", "typescript") and not first.group and not first.table and not second.table and first.path.endswith((".test.js", ".test.ts")):
                text = self.project.files[first.path]
                if self.style == "node:test" and not re.search(r"\bdescribe\b", text):
                    text = text.replace("import test from 'node:test';", "import test, { describe } from 'node:test';")
                block_text = "\n".join(block)
                lines = "\n".join([f"describe('{name}', () => {{", *[("  " + line if line.strip() else line) for line in block], "});"])
                if text.count(block_text) == 1 and "Snapshot" not in block_text:
                    yield Change("describe", {first.path: text.replace(block_text, lines)})
