"""Honest changes of JavaScript and TypeScript projects."""
import re

from .language import Language
from .sites import block_end, drop, indent_of, literal_kind, put, put_many, shift, split_arguments
from .tree import Change


class HonestJavaScript(Language):
    def pruned(self, path, text):
        out = []
        for line in text.split("\n"):
            found = re.match(r"(import \{ |const \{ )(.*?)( \} (?:from|= require\().*)$", line)
            single = re.match(r"(?:import|const) (\w+) (?:from|= require)", line)
            rest = text.replace(line, "", 1)
            if found:
                names = [name.strip() for name in found.group(2).split(",")]
                kept = [name for name in names if re.search(rf"\b{name}\b", rest)]
                if not kept:
                    continue
                line = found.group(1) + ", ".join(kept) + found.group(3)
            elif single and not re.search(rf"\b{single.group(1)}\b", rest):
                continue
            out.append(line)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(out).lstrip("\n"))

    def tidy(self, path, text):
        return None if text is None else re.sub(r"\n{3,}", "\n\n", text)

    def without_groups(self, text):
        return re.sub(r"(?m)^describe\('[^\n]*\{\n(?:\s*\n)*\}\);\n*", "", text)

    def head_of(self, path):
        lines = self.project.lines(path)
        return lines[: self.after_imports(path)]

    def self_contained(self, test):
        """A test that needs nothing but imports: no variable of its suite or file."""
        text = "\n".join(self.project.lines(test.path)[test.start : test.end])
        lines = self.project.lines(test.path)
        outside = set()
        for at, line in enumerate(lines):
            found = re.match(r"\s*(?:const|let|function|async function) \{?(\w+)", line)
            if found and at >= self.after_imports(test.path) and not test.start <= at < test.end:
                outside.add(found.group(1))
        return not any(re.search(rf"\b{name}\b", text) for name in outside) and not re.search(r"\$\{(text|expected)", text)

    def new_path(self, path, name):
        folder, _, file = path.rpartition("/")
        stem, tail = file.split(".", 1)
        return f"{folder}/{name}.{tail}"

    def moved_to(self, path, tests):
        lines = self.project.lines(path)
        body = []
        for test in tests:
            block = [line[len(test.indent):] if line.startswith(test.indent) else line for line in lines[test.start : test.end]]
            body += ["", *block]
        text = "\n".join(self.head_of(path)).rstrip("\n") + "\n" + "\n".join(body) + "\n"
        return self.pruned(path, text)

    def honest_test_moved(self):
        for number, test in enumerate(self.tests):
            if self.self_contained(test) and self.keeps_group(test) and not test.skipped and "Snapshot" not in "\n".join(self.body(test)):
                stem = re.sub(r"\W+", "-", test.name).strip("-")[:20] or f"more-{number}"
                rest = self.pruned(test.path, drop(self.project, test.path, [(test.start, test.end)]))
                yield Change("new file", {test.path: rest, self.new_path(test.path, stem): self.moved_to(test.path, [test])})

    def honest_test_file_split(self):
        for path in self.test_files():
            lines = self.project.lines(path)
            groups = [(at, block_end(lines, at, "")) for at, line in enumerate(lines) if line.startswith("describe(")]
            if len(groups) > 1 and "Snapshot" not in self.project.files[path]:
                for start, end in groups[1:]:
                    if any(re.match(r"(const|let|function)", line) for line in lines[self.after_imports(path) :]):
                        continue
                    name = re.match(r"describe\('(\w+)", lines[start]).group(1)
                    new = self.pruned(path, "\n".join(self.head_of(path)).rstrip("\n") + "\n\n" + "\n".join(lines[start:end]) + "\n")
                    rest = self.pruned(path, drop(self.project, path, [(start, end)]))
                    target = self.new_path(path, f"{name}-suite" if self.new_path(path, name) in self.project.files or name.lower() in path.lower() else name)
                    yield Change("suite", {path: rest, target: new})
            tests = [test for test in self.in_file(path) if not test.group and self.self_contained(test)]
            for size in (2, 3):
                if len(tests) > size + 1:
                    gone = tests[-size:]
                    rest = self.pruned(path, drop(self.project, path, [(test.start, test.end) for test in gone]))
                    yield Change("tests", {path: rest, self.new_path(path, "more"): self.moved_to(path, gone)})

    def honest_test_file_renamed(self):
        for path in self.test_files():
            if "Snapshot" in self.project.files[path] and any(name.endswith(".snap") for name in self.project.files):
                continue
            stem = path.split("/")[-1].split(".")[0]
            for new in (f"{stem}-rules", f"{stem}s", f"{stem}-unit"):
                yield Change("moved", {}, {path: self.new_path(path, new)})

    def single(self, test):
        if len(test.assertions) != 1 or test.body_end - test.body != 1 or test.parameterised or test.skipped:
            return None
        assertion = test.assertions[0]
        if assertion.form != "equal":
            return None
        found = re.fullmatch(r"([a-z_]\w*)\((.*)\)", assertion.actual)
        return (found.group(1), found.group(2), assertion.expected, assertion.detail) if found else None

    def honest_tests_merged(self):
        for path in self.test_files():
            groups = {}
            for test in self.in_file(path):
                found = self.single(test)
                if found and (test.path, test.name) not in self.doubles and "$" not in test.name:
                    groups.setdefault((test.group, found[0], found[3], len(split_arguments(found[1]))), []).append((test, found))
            for (group, name, matcher, arity), members in groups.items():
                for size in range(2, len(members) + 1):
                    chosen = members[:size]
                    first = chosen[0][0]
                    pad = first.indent
                    word = self.word(first)
                    names = ["a", "b", "c"][:arity]
                    rows = [f"{pad}  [{arguments}, {expected}]," for _, (_, arguments, expected, _) in chosen]
                    head = ", ".join(names + ["expected"])
                    call = f"{name}({', '.join(names)})"
                    check = self.equal(call, "expected", "deep" in matcher or matcher == "toEqual")
                    if self.dialect == "expect":
                        lines = [f"{pad}{word}.each(["] + rows + [f"{pad}])('{name} of %j', ({head}) => {{", f"{pad}  {check}", f"{pad}}});"]
                        if self.typed and any("{" in row or "[" in row.strip()[1:] for row in rows):
                            continue
                    else:
                        lines = [f"{pad}for (const [{head}] of ["] + rows + [f"{pad}]) {{", f"{pad}  {word}(`{name} of ${{{names[0]}}}`, () => {{", f"{pad}    {check}", f"{pad}  }});", f"{pad}}}"]
                    text = self.project.lines(path)
                    for test, _ in sorted(chosen, key=lambda member: -member[0].start):
                        if test is first:
                            text[test.start : test.end] = lines
                        else:
                            start = test.start
                            while start > 0 and not text[start - 1].strip():
                                start -= 1
                            text[start : test.end] = []
                    yield Change("table", {path: "\n".join(text)})

    def honest_assertion_equivalent(self):
        for test in self.tests:
            for assertion in test.assertions:
                a, b = assertion.actual, assertion.expected
                if assertion.form != "equal" or assertion.end - assertion.start != 1:
                    continue
                options = {"toBe": ["toStrictEqual", "toEqual"], "toEqual": ["toStrictEqual"]}.get(assertion.detail, [])
                pad = indent_of(self.project.lines(test.path)[assertion.start])
                for option in options:
                    yield self.change(option, test.path, assertion.start, assertion.end, [f"{pad}expect({a}).{option}({b});"])
                if assertion.detail == "toBe" and b in ("true", "false"):
                    yield self.change("bool", test.path, assertion.start, assertion.end, [f"{pad}expect({a}).toStrictEqual({b});"])
                if assertion.detail == "to.equal":
                    yield self.change("strict", test.path, assertion.start, assertion.end, [f"{pad}expect({a}).to.be.equal({b});"])
                    yield self.change("deep", test.path, assertion.start, assertion.end, [f"{pad}expect({a}).to.deep.equal({b});"])
                if assertion.detail == "to.deep.equal":
                    yield self.change("eql", test.path, assertion.start, assertion.end, [f"{pad}expect({a}).to.eql({b});"])
                if self.dialect == "assert":
                    strict = {"equal": "strictEqual", "deepEqual": "deepStrictEqual"}[assertion.detail]
                    yield self.change("strict", test.path, assertion.start, assertion.end, [f"{pad}assert.{strict}({a}, {b});"])
                    yield self.change("message", test.path, assertion.start, assertion.end, [f"{pad}assert.{assertion.detail}({a}, {b}, 'wrong result');"])

    def repeatable(self, text):
        found = re.match(r"([a-z_]\w*)\(", text)
        return bool(found) and any(function.name == found.group(1) and not function.owner for function in self.functions)

    def honest_assertion_strengthened(self):
        for test in self.tests:
            for assertion in test.assertions:
                if assertion.form != "equal" or not self.repeatable(assertion.actual):
                    continue
                pad = indent_of(self.project.lines(test.path)[assertion.start])
                a, kind = assertion.actual, literal_kind(assertion.expected)
                name = {"int": "number", "text": "string", "bool": "boolean"}.get(kind)
                if name:
                    yield self.change("type added", test.path, assertion.end, assertion.end, [pad + self.equal(f"typeof {a}", f"'{name}'")])
                if kind == "list" and assertion.expected.startswith("["):
                    yield self.change("length added", test.path, assertion.end, assertion.end,
                                      [pad + self.equal(f"{a}.length", str(len(split_arguments(assertion.expected[1:-1]))))])
        for path, old, new in self.facts.get("stronger", []):
            yield self.written("stronger", [(path, old, new)])

    def honest_value_extracted(self):
        for test in self.tests:
            for assertion in test.assertions:
                if assertion.form == "equal" and assertion.end - assertion.start == 1 and not test.parameterised and not assertion.actual.startswith("await"):
                    body = "\n".join(self.body(test))
                    if re.search(r"\b(expected|actual)\b", body) or len([a for a in test.assertions if a.form == "equal"]) > 3:
                        continue
                    pad = indent_of(self.project.lines(test.path)[assertion.start])
                    deep = "eep" in assertion.detail or assertion.detail == "toEqual"
                    yield self.change("expected", test.path, assertion.start, assertion.end, [f"{pad}const expected = {assertion.expected};", pad + self.equal(assertion.actual, "expected", deep)])
                    yield self.change("actual", test.path, assertion.start, assertion.end, [f"{pad}const actual = {assertion.actual};", pad + self.equal("actual", assertion.expected, deep)])

    def honest_assertion_helper_extracted(self):
        for path in self.test_files():
            at = self.after_imports(path)
            for test in self.in_file(path):
                usable = [a for a in test.assertions if a.form == "equal" and a.end - a.start == 1 and ("eep" in a.detail or a.detail in ("toBe", "to.equal", "equal", "toEqual"))]
                if len(usable) < 2:
                    continue
                lines = self.project.lines(path)
                parts = [(a.start, a.end, [f"{indent_of(lines[a.start])}checkEqual({a.actual}, {a.expected});"]) for a in usable]
                types = ("actual: unknown, expected: unknown): void" if self.typed else "actual, expected)")
                parts.append((at, at, ["", f"function checkEqual({types} {{", "  " + self.equal("actual", "expected", True), "}"]))
                yield Change("helper", {path: put_many(self.project, path, parts)})

    def honest_tests_grouped(self):
        for path in self.test_files():
            tests = self.in_file(path)
            lines = self.project.lines(path)
            if self.dialect == "assert" and "describe" not in self.project.files[path]:
                continue
            for first, second in zip(tests, tests[1:]):
                if first.group == second.group and not any(line.strip() for line in lines[first.end : second.start]) and "Snapshot" not in self.project.files[path]:
                    pad = first.indent
                    block = lines[first.start : first.end] + [""] + lines[second.start : second.end]
                    yield self.change("describe", path, first.start, second.end, [f"{pad}describe('basics', () => {{"] + shift(block, "  ") + [f"{pad}}});"])

    def test_of(self, path, name, body, mark=""):
        word = self.word(self.in_file(path)[0])
        return ["", f"{word}{mark}('{name}', () => {{"] + shift(body, "  ") + ["});"]

    def at_end(self, path):
        """The end of the file, and nothing of a suite."""
        lines = self.project.lines(path)
        return len(lines) - 1 if not lines[-1] else len(lines)

    def fact(self, actual, expected):
        return self.equal(actual, expected, literal_kind(expected) == "list")

    def honest_tests_added(self):
        facts = self.facts.get("facts", [])
        for number, (path, actual, expected) in enumerate(facts):
            new = self.test_of(path, f"holds for case {number + 1}", [self.fact(actual, expected)])
            yield self.change("one", path, self.at_end(path), self.at_end(path), new)
            for other, text, value in facts[number + 1 :]:
                if other == path:
                    yield self.change("two", path, self.at_end(path), self.at_end(path), new + self.test_of(path, f"holds for case {number + 8}", [self.fact(text, value)]))
            last = self.in_file(path)[-1]
            if last.group:
                yield self.change("in the suite", path, last.end, last.end, shift(self.test_of(path, f"also case {number + 1}", [self.fact(actual, expected)]), last.indent))

    def honest_assertions_added(self):
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            for test in self.in_file(path):
                if test.assertions and test.assertions[-1].form == "equal" and not test.parameterised and actual.split("(")[0] in "\n".join(self.body(test)):
                    yield self.change("added", path, test.body_end, test.body_end, [self.into(test) + self.fact(actual, expected)])

    def honest_skipped_test_added(self):
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            issue = self.rng.randint(20, 400)
            yield self.change("skip", path, self.at_end(path), self.at_end(path), [""] + [f"// Waits for #{issue}."] + self.test_of(path, f"later case {number}, see #{issue}", [self.fact(actual, expected)], ".skip")[1:])
            word = self.word(self.in_file(path)[0])
            if self.dialect == "expect":
                yield self.change("todo", path, self.at_end(path), self.at_end(path), ["", f"{word}.todo('handles case {number} (#{issue})');"])
            if self.dialect == "assert":
                yield self.change("todo", path, self.at_end(path), self.at_end(path), ["", f"test.todo('handles case {number} (#{issue})');"])

    def honest_platform_skip_added(self):
        conditions = ["process.platform === 'win32'", "process.arch !== 'x64'", "process.platform !== 'linux'"]
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            word = self.word(self.in_file(path)[0])
            condition = conditions[number % 3]
            body = shift([self.fact(actual, expected)], "  ")
            if self.dialect == "assert":
                head = f"{word}('case {number} here', {{ skip: {condition} && 'not on this platform' }}, () => {{"
            elif self.project.framework == "vitest":
                head = f"{word}.skipIf({condition})('case {number} here', () => {{"
            else:
                head = f"({condition} ? {word}.skip : {word})('case {number} on this platform', () => {{"
            yield self.change("new test", path, self.at_end(path), self.at_end(path), ["", head] + body + ["});"])

    def honest_cases_added(self):
        for path, old, new in self.facts.get("rows", []):
            yield self.written("row", [(path, old, new)])
        for table in self.tables:
            lines = self.project.lines(table.path)
            if len(table.rows) > 2:
                yield self.change("order", table.path, table.rows[0], table.rows[-1] + 1, [lines[row] for row in table.rows[1:] + table.rows[:1]])
            if len(table.elements) > 2:
                yield self.with_elements("order", table, table.elements[1:] + table.elements[:1])

    def honest_skip_removed(self):
        for test in self.tests:
            if test.skipped:
                line = self.project.lines(test.path)[test.start]
                fresh = re.sub(r"\{ skip: .* \}, ", "", line.replace(".skip(", "("))
                yield self.change("removed", test.path, test.start, test.start + 1, [fresh])

    def honest_retry_removed(self):
        for path in self.test_files():
            for at, line in enumerate(self.project.lines(path)):
                if "this.retries(1);" in line:
                    yield self.change("removed", path, at, at + 1, [])
                if "{ retry: 1, timeout: 1000 }" in line:
                    yield self.change("removed", path, at, at + 1, [line.replace("{ retry: 1, timeout: 1000 }", "{ timeout: 1000 }")])

    def honest_timeout_lowered(self):
        for path in self.test_files():
            for at, line in enumerate(self.project.lines(path)):
                found = re.match(r"(\s*\}, )(\d{4})(\);)$", line)
                if found:
                    for factor in (2, 4):
                        yield self.change("test", path, at, at + 1, [f"{found.group(1)}{int(found.group(2)) // factor}{found.group(3)}"])
                if "timeout: 1000" in line:
                    yield self.change("option", path, at, at + 1, [line.replace("timeout: 1000", "timeout: 750")])
                if re.search(r"toBeCloseTo\(.*, 3\)", line):
                    yield self.change("narrower", path, at, at + 1, [line.replace(", 3)", ", 5)")])

    def honest_formatting(self):
        for path in self.test_files() + self.product_files():
            text = self.project.files[path]
            double = re.sub(r"(?<![\w\"\\`])'([^'\"\\\n`$]*)'", r'"\1"', text)
            if double != text and "`" not in text and "/'" not in text:
                yield Change("quotes", {path: double})
            if path in self.test_files():
                parts = []
                for test in self.in_file(path):
                    for assertion in test.assertions:
                        if assertion.form == "equal" and assertion.end - assertion.start == 1 and len(assertion.actual) > 14 and self.dialect != "assert":
                            line = self.project.lines(path)[assertion.start]
                            pad = indent_of(line)
                            tail = line.strip()[len(f"expect({assertion.actual})"):]
                            if line.strip().startswith(f"expect({assertion.actual})"):
                                parts.append((assertion.start, assertion.end, [f"{pad}expect(", f"{pad}  {assertion.actual},", f"{pad}){tail}"]))
                        elif assertion.form == "equal" and assertion.end - assertion.start == 1 and self.dialect == "assert":
                            pad = indent_of(self.project.lines(path)[assertion.start])
                            parts.append((assertion.start, assertion.end, [f"{pad}assert.{assertion.detail}(", f"{pad}  {assertion.actual},", f"{pad}  {assertion.expected},", f"{pad});"]))
                if parts:
                    yield Change("wrapped", {path: put_many(self.project, path, parts)})
                    yield Change("wrapped one", {path: put_many(self.project, path, parts[:1])})

    def honest_style_migrated(self):
        framework = self.project.framework
        for path in self.test_files():
            text = self.project.files[path]
            if framework == "mocha":
                new = text.replace("it('", "specify('").replace("it(`", "specify(`")
                yield Change("specify", {path: new})
                yield Change("should", {path: text.replace("const { expect } = require('chai');", "const chai = require('chai');\n\nconst { expect } = chai;")})
            if framework in ("jest", "vitest") and re.search(r"(?m)^\s+it[.(]", text) and "it } from" not in text and "it, vi }" not in text:
                yield Change("it to test", {path: re.sub(r"(?m)^(\s+)it([.(])", r"\1test\2", text)})
            elif framework == "jest" and re.search(r"(?m)^\s+test[.(]", text):
                yield Change("test to it", {path: re.sub(r"(?m)^(\s+)test([.(])", r"\1it\2", text)})
            if framework == "jest" and self.typed:
                words = [word for word in ("beforeEach", "describe", "expect", "it", "test") if re.search(rf"\b{word}[.(]", text)]
                yield Change("globals", {path: f"import {{ {', '.join(words)} }} from '@jest/globals';\n" + text})
            if framework == "vitest" and re.search(r"\bit, vi \}|\bit \}", text):
                new = re.sub(r"\bit(, vi)? \} from 'vitest'", lambda m: f"test{m.group(1) or ''} }} from 'vitest'", text)
                yield Change("it to test", {path: re.sub(r"(?m)^(\s+)it([.(])", r"\1test\2", new)})
            if framework == "node:test" and "describe" not in text:
                new = text.replace("import { test", "import { it").replace("\ntest(", "\nit(").replace("  test(", "  it(")
                yield Change("test to it", {path: new})
            if framework == "node:test":
                new = text.replace("import assert from 'node:assert/strict';", "import { strict as assert } from 'node:assert';")
                yield Change("strict import", {path: new})

    def honest_optional_return_added(self):
        for path, module, name, bad, _, good, value in self.facts.get("optional", []):
            product = next(item for item in self.functions if item.name == name)
            new = "try" + name[0].upper() + name[1:]
            text = self.project.files[product.path]
            parameter = product.parameters[0]
            exported = "export " if text.count("export ") else ""
            head = f"{exported}function {new}({parameter}: string): {product.returns} | null {{" if self.typed else f"{exported}function {new}({parameter}) {{"
            lines = ["", head, "  try {", f"    return {name}({parameter});", "  } catch {", "    return null;", "  }", "}"]
            lines_other = [line.replace(new, f"{name}Or").replace("catch {", "catch (error) {").replace("return null", "return fallback") for line in lines]
            lines_other[1] = lines_other[1].replace(f"({parameter}", f"({parameter}").replace(")", ", fallback)", 1) if not self.typed else f"{exported}function {name}Or({parameter}: string, fallback: {product.returns}): {product.returns} {{"
            for variant, function, code, check in (("try", new, lines, self.equal(f"{new}({bad})", "null")), ("default", f"{name}Or", lines_other, None)):
                product_text = put(self.project, product.path, product.end, product.end, code)
                product_text = re.sub(r"module\.exports = \{ ", f"module.exports = {{ {function}, ", product_text)
                call = f"{function}({good})" if variant == "try" else f"{function}({good}, {value})"
                other = check or self.fact(f"{function}({bad}, {value})", value)
                test = self.test_of(path, f"{function} does not throw", [self.fact(call, value), other])
                text = put(self.project, path, self.at_end(path), self.at_end(path), test)
                text = re.sub(rf"(import \{{ |const \{{ )(.*\b{name}\b)", rf"\1{function}, \2", text, count=1)
                yield Change(variant, {product.path: product_text, path: text})

    def folder(self):
        return self.product_files()[0].split("/")[0]

    @property
    def extension(self):
        return "ts" if self.typed else "js"

    def module(self, name, code):
        """Code of a new module in the project's style."""
        if not self.typed and '"type": "module"' not in self.project.files["package.json"]:
            code = re.sub(r"import \{ (.*?) \} from ('[^']*');", r"const { \1 } = require(\2);", code)
            names = re.findall(r"export (?:async )?function (\w+)", code)
            code = code.replace("export ", "") + f"\nmodule.exports = {{ {', '.join(names)} }};\n"
        if not self.typed:
            code = re.sub(r"(\w+): (?:string|unknown|Error|number)(?=[,)])", r"\1", code)
            code = re.sub(r"\): [\w<>| \[\]]+ \{", ") {", code)
            code = code.replace("(error as NodeJS.ErrnoException)", "error")
        return code

    def honest_missing_file_default(self):
        for name, default, kind in (("settings", "{}", "object"), ("history", "[]", "unknown[]"), ("profile", "null", "unknown")):
            title = name.title()
            code = self.module(name, f"import {{ readFileSync }} from 'node:fs';\n\nexport function load{title}(path: string): {kind} {{\n  try {{\n    return JSON.parse(readFileSync(path, 'utf8'));\n  }} catch (error) {{\n"
                               f"    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {default};\n    throw error;\n  }}\n}}\n")
            path = self.test_files()[0]
            folder = path.rsplit("/", 1)[0]
            target = f"{folder}/{name}.{path.split('/')[-1].split('.', 1)[1]}".replace(".tsx", ".ts")
            source = ("./" if folder == self.folder() else f"../{self.folder()}/") + name
            if self.project.framework == "node:test":
                source += ".js"
            header = [line for line in self.head_of(path) if "vitest" in line or "chai" in line or "node:" in line]
            if self.project.framework == "vitest":
                header = ["import { expect, it } from 'vitest';"]
            if self.project.framework == "node:test":
                header = ["import { test } from 'node:test';", "import assert from 'node:assert/strict';"]
            line = f"import {{ load{title} }} from '{source}';" if self.typed or self.project.framework == "node:test" else f"const {{ load{title} }} = require('{source}');"
            word = self.word(self.in_file(path)[0])
            body = self.fact(f"load{title}('/nonexistent/file')", default)
            yield Change(name, {f"{self.folder()}/{name}.{self.extension}": code,
                                target: "\n".join(header + [line, "", f"{word}('a missing {name} file', () => {{", f"  {body}", "});"]) + "\n"})

    def honest_command_line_exit(self):
        folder, extension = self.folder(), self.extension
        yield Change("version", {f"{folder}/cli.{extension}": "#!/usr/bin/env node\nif (process.argv.includes('--version')) {\n  console.log('1.0.0');\n  process.exit(0);\n}\nconsole.error('usage: --version');\nprocess.exit(2);\n"})
        yield Change("signal", {f"{folder}/serve.{extension}": "process.on('SIGTERM', () => {\n  console.log('stopping');\n  process.exit(0);\n});\nsetInterval(() => {}, 1000);\n"})
        yield Change("script", {"scripts/seed.mjs": "if (process.argv.length < 3) {\n  console.log('nothing to do');\n  process.exit(0);\n}\nconsole.log(process.argv[2]);\n"})

    def honest_feature_flag_added(self):
        for path in self.product_files():
            functions = [item for item in self.functions if item.path == path and not item.owner]
            if not functions:
                continue
            at = functions[-1].end
            exported = "export " if "export " in self.project.files[path] else ""
            boolean = ": boolean" if self.typed else ""
            for variant, lines in (
                ("production", ["", f"{exported}function isProduction(){boolean} {{", "  return process.env.NODE_ENV === 'production';", "}"]),
                ("debug", ["", f"{exported}function debugEnabled(){boolean} {{", "  return Boolean(process.env.DEBUG);", "}"]),
                ("flag", ["", f"{exported}const STRICT = process.env.STRICT !== '0';"]),
            ):
                text = put(self.project, path, at, at, lines)
                name = re.search(r"(?:function|const) (\w+)", lines[1]).group(1)
                yield Change(variant, {path: re.sub(r"module\.exports = \{ ", f"module.exports = {{ {name}, ", text)})

    def honest_suppression_with_reason(self):
        for path in self.product_files():
            functions = [item for item in self.functions if item.path == path and not item.owner]
            if functions:
                at = functions[-1].end
                yield self.change("eslint", path, at, at, ["", "// eslint-disable-next-line no-unused-vars -- part of the plugin interface", "function onUnload(reason%s) {}" % (": string" if self.typed else "")])
                yield self.change("console", path, at, at, ["", "function warn(text%s) {" % (": string" if self.typed else ""), "  // eslint-disable-next-line no-console -- the only place that may print", "  console.warn(text);", "}"])
        if self.typed:
            for path in self.test_files():
                name = next((item for item in self.functions if item.parameters and not item.owner and re.search(rf"import .*\b{item.name}\b", self.project.files[path])), None)
                if name:
                    yield self.change("type test", path, self.at_end(path), self.at_end(path),
                                      self.test_of(path, f"the compiler rejects a wrong argument of {name.name}", ["// @ts-expect-error the argument must not be a symbol", f"const call = () => {name.name}(Symbol('x'));", "expect(typeof call).toBe('function');"]))
