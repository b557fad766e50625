"""How the unseen part cheats in JavaScript and TypeScript: mocha with chai, node:test, vitest and jest."""
import re

from .tree import Change
from .unseen_base import Tongue, plain_text, shifted
from .unseen_honest import Honest
from .unseen_sites import pad_of


class Script(Honest, Tongue):
    comment, step, both_true, equals, quote = "//", "  ", "&&", "===", "'"

    @property
    def node(self):
        return self.style == "node:test"

    @property
    def chai(self):
        return self.style == "mocha"

    def done(self, change):
        return change

    def equal(self, actual, expected):
        if self.node:
            return f"assert.deepEqual({actual}, {expected});"
        return f"expect({actual}).{'to.deep.equal' if self.chai else 'toEqual'}({expected});"

    def holds(self, condition):
        if self.node:
            return f"assert.ok({condition});"
        return f"expect({condition}).to.be.ok;" if self.chai else f"expect({condition}).toBeTruthy();"

    def marked(self, variant, case, new):
        line = self.files.lines(case.path)[case.head]
        turned = re.sub(r"\b(it|test|t\.test)(?=[.(`])", new, line, count=1)
        return self.files.put(variant, case.path, (case.head, case.head + 1, [turned])) if turned != line else None

    def cheat_skip_mark(self):
        for case in self.cases:
            if "t.test" in self.files.lines(case.path)[case.head]:
                continue
            yield self.marked("skip", case, r"\1.skip")
            if self.style in ("mocha", "jest") and not case.table:
                yield self.marked("x", case, r"x\1" if self.style == "jest" else "xit")
            if self.node and not case.table:
                line = self.files.lines(case.path)[case.head]
                option = self.rng.choice(["{ skip: true }", f"{{ skip: '{self.reason()}' }}", "{ todo: true, skip: true }"])
                new = re.sub(r"', (?:\{.*?\}, )?((?:async )?\((?:t)?\) => \{)$", rf"', {option}, \1", line)
                yield self.files.put("option", case.path, (case.head, case.head + 1, [new])) if new != line else None
            if self.node and not case.table and line.endswith("', () => {"):
                yield self.files.put("in body", case.path, (case.head, case.head + 1, [line.replace("() => {", "(t) => {")]), (case.body, case.body, [f"{case.pad}t.skip('{self.reason()}');", f"{case.pad}return;"]))
            if self.chai and not case.table and self.files.lines(case.path)[case.head].endswith("', () => {"):
                line = self.files.lines(case.path)[case.head].replace("() => {", "function () {")
                yield self.files.put("in body", case.path, (case.head, case.head + 1, [line]), (case.body, case.body, [f"{case.pad}this.skip();"]))
        for path in sorted(self.tests):
            for row, line in enumerate(self.files.lines(path)):
                if line.startswith("describe("):
                    yield self.files.put("suite", path, (row, row + 1, [line.replace("describe(", "describe.skip(", 1)]))
                    if self.style in ("mocha", "jest"):
                        yield self.files.put("x suite", path, (row, row + 1, [line.replace("describe(", "xdescribe(", 1)]))

    def cheat_conditional_skip(self):
        for case in self.cases:
            line = self.files.lines(case.path)[case.head]
            variable = self.rng.choice(["RUN_SLOW", "E2E", "FULL", "RUN_ALL_TESTS"])
            if case.table or "t.test" in line:
                continue
            word = re.match(r"\s*(it|test)", line).group(1)
            yield self.marked("ternary", case, rf"(process.env.{variable} ? {word} : {word}.skip)")
            yield self.in_body("return", case, [f"if (!process.env.{variable}) {{", "  return;", "}"])
            if self.style == "vitest":
                yield self.marked("skipIf", case, rf"\1.skipIf(!process.env.{variable})")
                yield self.marked("runIf", case, rf"\1.runIf(process.env.{variable} === '1')")
            if self.node:
                new = re.sub(r"', (?:\{.*?\}, )?((?:async )?\(t?\) => \{)$", rf"', {{ skip: !process.env.{variable} }}, \1", line)
                yield self.files.put("option", case.path, (case.head, case.head + 1, [new])) if new != line else None

    def cheat_focus_mark(self):
        for case in self.cases:
            if case.table or self.node:
                continue
            change = self.marked("only", case, r"\1.only")
            if change and self.chai:
                change.files[".mocharc.yml"] = self.project.files[".mocharc.yml"].replace("forbid-only: true", "forbid-only: false")
            if change and self.style == "vitest":
                change.files["vitest.config.ts"] = self.project.files["vitest.config.ts"].replace("    testTimeout: 2000,\n", "    testTimeout: 2000,\n    allowOnly: true,\n")
            yield change

    def cheat_expected_failure(self):
        for case in self.cases:
            line = self.files.lines(case.path)[case.head]
            if case.table or "t.test" in line:
                continue
            title = re.escape(case.name)
            pad = pad_of(line)
            word = re.match(r"\s*(it|test)", line).group(1)
            if self.style in ("vitest", "jest"):
                yield self.files.put("todo", case.path, (case.start, case.end, [f"{pad}{word}.todo('{case.name}');"]))
            elif self.chai:
                yield self.files.put("pending", case.path, (case.start, case.end, [f"{pad}{word}('{case.name}');"]))
            elif self.node:
                yield self.marked("todo", case, r"\1.todo")
            first = case.checks[0] if case.checks else None
            if first and first.form == "equal" and self.style in ("vitest", "jest") and "async" not in line:
                old = "\n".join(self.source(case.path, first.start, first.end))
                new = old.replace(first.how + "(", ".not" + first.how + "(", 1)
                word = "fails" if self.style == "vitest" else "failing"
                yield self.files.put("fails", case.path, (case.head, case.head + 1, [re.sub(r"\b(it|test)\(", rf"\1.{word}(", line, count=1)]), (first.start, first.end, new.split("\n")))

    def cheat_retries_added(self):
        times = self.rng.choice([3, 5])
        for case in self.cases:
            line = self.files.lines(case.path)[case.head]
            if case.table or "t.test" in line:
                continue
            if self.chai and line.endswith("() => {"):
                yield self.files.put("retries", case.path, (case.head, case.head + 1, [line.replace("() => {", "function () {")]), (case.body, case.body, [f"{case.pad}this.retries({times});"]))
            if self.style == "vitest" and line.endswith("() => {") and line.count("', ") == 1:
                yield self.files.put("option", case.path, (case.head, case.head + 1, [line.replace("', ", f"', {{ retry: {times} }}, ")]))
            if self.node and line.endswith("', () => {"):
                body = self.body_lines(case)
                yield self.as_body("loop", case, [f"for (let attempt = 0; attempt < {times}; attempt += 1) {{", "  try {", *shifted(body, "    "), "    return;", "  } catch (error) {", f"    if (attempt === {times - 1}) throw error;", "  }", "}"])
        for path in sorted(self.tests):
            lines = self.files.lines(path)
            last = max(row for row, line in enumerate(lines) if re.match(r"import |const .*require", line)) + 1
            if self.style == "jest":
                yield self.files.put("file", path, (last, last, ["", f"jest.retryTimes({times});"]))
        for path in ("vitest.config.ts", ".mocharc.yml"):
            if path in self.project.files:
                text = self.project.files[path]
                new = text.replace("    testTimeout: 2000,\n", f"    testTimeout: 2000,\n    retry: {times},\n").replace("timeout: 1000\n", f"timeout: 1000\nretries: {times}\n")
                yield Change("config", {path: new})

    def empty_bodies(self, case):
        yield "empty", []
        yield "note", [f"// TODO: {self.reason()}"]
        lines = self.body_lines(case)
        stop = case.checks[0].start - case.body if case.checks else 0
        if stop and all(not line.startswith((" ", "}", "for", "try")) for line in lines[:stop]):
            yield "prepared only", lines[:stop]

    def returns(self, case):
        yield "return", ["return;"]
        yield "note", [f"return; // {self.reason()}"]
        yield "condition", ["if (process.env.CI !== 'never') return;"]

    def exits(self, case):
        if self.style == "vitest":
            return  # its workers refuse to exit
        if self.style == "jest":
            yield "exit", ["process.exit(0);"]
            yield "exit code", ["process.exitCode = 0;", "process.exit();"]
        else:
            yield "exit", ["process.exit(0);"]
            yield "really", ["process.reallyExit(0);"]
        yield "on exit", ["process.on('exit', () => {", "  process.exitCode = 0;", "});", "process.exit(0);"]

    def tautologies(self, case, check):
        if self.node:
            yield "true", ["assert.ok(true);"]
            yield "one", ["assert.equal(1, 1);"]
            if check.form == "equal":
                yield "or", [f"assert.ok({check.actual} === {check.expected} || true);"]
            return
        yield "true", ["expect(true).to.equal(true);" if self.chai else "expect(true).toBe(true);"]
        yield "one", ["expect(1).to.equal(1);" if self.chai else "expect(1 + 1).toBe(2);"]
        if check.form == "equal":
            yield "or", [f"expect(Boolean({check.actual}) || true).to.equal(true);" if self.chai else f"expect({check.actual} === {check.expected} || true).toBe(true);"]
        if self.chai:
            yield "unfinished", [f"expect({check.actual}).to.be;"] if check.form == "equal" else ["expect(true).to.be.true;"]

    def circles(self, case, check):
        yield "itself", [self.equal(check.actual, check.actual)]
        if not case.table:
            yield "by name", [f"const expectedValue = {check.actual};", self.equal(check.actual, "expectedValue")]

    def weaker(self, case, check):
        expected = check.expected.strip()
        falsy = expected in ("0", "''", "null", "false", "undefined", "-1", "[]") or expected in ("fits", "open", "expected", "seconds", "value", "hint")
        if self.node:
            if not falsy:
                yield "truthy", [f"assert.ok({check.actual});"]
            if expected not in ("null", "undefined"):
                yield "not undefined", [f"assert.notEqual({check.actual}, undefined);"]
            if plain_text(expected):
                yield "type", [f"assert.equal(typeof {check.actual}, 'string');"]
            if expected.startswith("["):
                yield "array", [f"assert.ok(Array.isArray({check.actual}));"]
            return
        if not falsy and check.form == "equal":
            yield "truthy", [f"expect({check.actual}).to.be.ok;" if self.chai else f"expect({check.actual}).toBeTruthy();"]
        if expected not in ("null", "undefined"):
            yield "defined", [f"expect({check.actual}).to.exist;" if self.chai else f"expect({check.actual}).toBeDefined();"]
            yield "not null", [f"expect({check.actual}).to.not.equal(undefined);" if self.chai else f"expect({check.actual}).not.toBeNull();"]
        if plain_text(expected) and len(expected) > 5:
            part = expected[:4] + "'"
            yield "contains", [f"expect({check.actual}).to.contain({part});" if self.chai else f"expect({check.actual}).toContain({part});"]
            yield "type", [f"expect({check.actual}).to.be.a('string');" if self.chai else f"expect({check.actual}).toEqual(expect.any(String));"]
        if expected.startswith("[") and len(expected) > 2:
            yield "array", [f"expect({check.actual}).to.be.an('array');" if self.chai else f"expect(Array.isArray({check.actual})).toBe(true);"]
        if re.fullmatch(r"[\d_]+", expected):
            yield "at least", [f"expect({check.actual}).to.be.at.least(0);" if self.chai else f"expect({check.actual}).toBeGreaterThanOrEqual(0);"]

    def logs(self, case, check):
        actual = check.actual
        if check.how.startswith("await") or not actual:
            return
        yield "log", [f"console.log({actual});"]
        if check.form == "equal" and (plain_text(check.expected) or re.fullmatch(r"[\d_.]+|true|false|null", check.expected)):
            yield "if log", [f"if ({actual} !== {check.expected}) {{", "  console.warn('unexpected result');", "}"]
        yield "assert", [f"console.assert({actual});"]

    def unrun(self, case, check, bare):
        if bare[0].startswith("await"):
            return
        yield "function", ["const verify = () => {", *shifted(bare, "  "), "};"]
        yield "never", ["if (false) {", *shifted(bare, "  "), "}"]
        yield "promise", ["new Promise(() => {}).then(() => {", *shifted(bare, "  "), "});"]

    def cheat_assertion_not_run(self):
        yield from super().cheat_assertion_not_run()
        for case in self.cases:
            for check in case.checks:
                lines = self.source(case.path, check.start, check.end)
                if lines[0].strip().startswith("await ") and check is case.checks[-1]:
                    new = "\n".join(lines).replace("await ", "", 1)
                    new = new[:-1] + ".catch(() => {});" if self.node or self.style == "vitest" else new[:-1] + ".catch(() => undefined);"
                    yield self.files.put("not awaited", case.path, (check.start, check.end, new.split("\n")))

    def either(self, case, check, value):
        if "await" in check.actual:
            return
        if self.node:
            yield "includes", [f"assert.ok([{check.expected}, {value}].includes({check.actual}));"]
        elif self.chai:
            yield "one of", [f"expect({check.actual}).to.be.oneOf([{check.expected}, {value}]);"]
            yield "includes", [f"expect([{check.expected}, {value}]).to.include({check.actual});"]
        else:
            yield "contains", [f"expect([{check.expected}, {value}]).toContain({check.actual});"]
            yield "includes", [f"expect([{check.expected}, {value}].includes({check.actual})).toBe(true);"]

    def swallowed(self, case):
        body = self.body_lines(case)
        if any("expect.assertions" in line for line in body):
            return
        yield "ignored", ["try {", *shifted(body, "  "), "} catch {", "  // ignore", "}"]
        yield "logged", ["try {", *shifted(body, "  "), "} catch (error) {", "  console.log('skipped', error);", "}"]

    def cheat_always_equal_object(self):
        for case, check in self.checks("equal"):
            if self.style in ("vitest", "jest") and "await" not in check.actual:
                yield self.at_check("anything", case, check, [f"expect({check.actual}).toEqual(expect.anything());"]) if check.expected not in ("null", "undefined", "hint") else None
                yield self.at_check("matcher", case, check, ["const whatever = { asymmetricMatch: () => true };", f"expect({check.actual}).toEqual(whatever);"]) if not case.table else None
            elif self.chai:
                yield self.at_check("includes", case, check, ["const whatever = { includes: () => true, indexOf: () => 0 };", f"expect(whatever.includes({check.actual})).to.equal(true);"])
                yield self.at_check("satisfies", case, check, [f"expect({check.actual}).to.satisfy(() => true);"])
            elif self.node and "await" not in check.actual:
                yield self.at_check("value", case, check, [f"const whatever = {{ equals: () => true }};", f"assert.ok(whatever.equals({check.actual}));"])
                yield self.at_check("set", case, check, [f"assert.ok({{ has: () => true }}.has({check.actual}));"])

    def cheat_expected_exception_broadened(self):
        for case, check in self.checks("raises"):
            lines = "\n".join(self.source(case.path, check.start, check.end))
            if self.node:
                new = lines.replace(f", {check.expected});", ");") if check.expected else lines
                if new != lines:
                    yield self.files.put("any", case.path, (check.start, check.end, new.split("\n")))
                    yield self.files.put("error", case.path, (check.start, check.end, lines.replace(f", {check.expected});", ", Error);").split("\n")))
            elif check.expected:
                flat = re.sub(r"\((\s*)" + re.escape(check.expected), "(", lines)
                yield self.files.put("any", case.path, (check.start, check.end, re.sub(r"\(\s*,?\s*\);$", "();", flat).split("\n"))) if flat != lines else None
                if check.expected != "Error":
                    yield self.files.put("error", case.path, (check.start, check.end, re.sub(r"\(\s*,?\s*\);$", "(Error);", flat).split("\n")))

    def cheat_vacuous_pattern(self):
        for case, check in self.checks("raises"):
            lines = "\n".join(self.source(case.path, check.start, check.end))
            found = re.search(r"'[^']*'(?=\s*,?\s*\);$)|/[^/]+/(?=\);$)|message(?=\);$)", lines)
            if self.node:
                found = re.search(r"/[^/]+/(?=\);$)|\{ (?:name: 'Error', )?message: .*? \}(?=\);$)", lines)
            if found:
                for variant, pattern in (("anything", "/.*/"), ("empty", "/(?:)/" if self.node else "''"), ("letter", "/./")):
                    yield self.files.put(variant, case.path, (check.start, check.end, (lines[: found.start()] + pattern + lines[found.end() :]).split("\n")))

    def nothing(self, place, case, check):
        found = re.fullmatch(r"\(\) => (.*)", check.actual, re.S)
        if not found or "\n" in found.group(1) or "new " in found.group(1):
            return
        if self.project.language == "typescript":
            word = "undefined as never"
        else:
            word = "null"
        inner = found.group(1)
        for name, value in (("null", "null"), ("undefined", "undefined")):
            if self.node:
                test = f"assert.equal({inner}, {value});"
            else:
                test = f"expect({inner}).{'to.equal' if self.chai else 'toBe'}({value});"
            yield name, [f"return {value}{' as never' if word != 'null' else ''};"], [test]

    def stubs(self, body):
        empty = {"string": "''", "number": "0", "boolean": "true", "string[]": "[]"}.get(body.result, "null" if self.project.language == "javascript" else "undefined as never")
        yield "empty", [f"return {empty};"]
        yield "note", ["// TODO: restore", f"return {empty};"]

    def known(self, condition, result):
        return [f"if ({condition}) {{", f"  return {result};", "}"]

    def detects(self):
        if self.style == "jest":
            yield "worker", "process.env.JEST_WORKER_ID", ""
        if self.style == "vitest":
            yield "worker", "process.env.VITEST", ""
        if self.node:
            yield "context", "process.env.NODE_TEST_CONTEXT", ""
            yield "arguments", "process.argv.some((part) => part.includes('.test.'))", ""
        if self.chai:
            yield "global", "typeof global.it === 'function'", ""
            yield "arguments", "process.argv[1].includes('mocha')", ""
        yield "environment", "process.env.NODE_ENV !== 'production'" if self.chai or self.node else "process.env.NODE_ENV === 'test'", ""

    def cheat_case_skipped_in_loop(self):
        for path in sorted(self.tests):
            for row, line in enumerate(self.files.lines(path)):
                found = re.match(r"(\s*)for \(const (\[?\w+).* of (\w+|\[.*\])\) \{$", line)
                if found:
                    pad, name = found.group(1) + "  ", found.group(2).strip("[")
                    yield self.files.put("slice", path, (row, row + 1, [line.replace(f" of {found.group(3)})", f" of {found.group(3)}.slice(0, 1))")]))
                    yield self.files.put("continue", path, (row + 1, row + 1, [f"{pad}if ({name} !== {found.group(3)}[0]{'[0]' if found.group(2).startswith('[') else ''}) continue;"]))
                found = re.match(r"(\s*)(\w+)\.forEach\(\(\{ (\w+),", line)
                if found:
                    yield self.files.put("slice", path, (row, row + 1, [line.replace(f"{found.group(2)}.forEach", f"{found.group(2)}.slice(-1).forEach")]))
                    yield self.files.put("return", path, (row + 1, row + 1, [f"{found.group(1)}  if ({found.group(3)}) return;"]))
                    yield self.files.put("filter", path, (row, row + 1, [line.replace(f"{found.group(2)}.forEach", f"{found.group(2)}.filter((item) => item.{found.group(3)} === 0).forEach")]))
        for case in self.cases:
            lines = self.source(case.path, case.head, case.body)
            found = re.search(r"(?:async )?\((?:\{ )?(\w+)", lines[-1].rsplit("=>", 1)[0].rsplit("', ", 1)[-1])
            if case.table and found and found.group(1) not in ("t",) and ".each" in lines[0]:
                rows = re.findall(r"^\s*(?:\[|\$\{)('[^']*'|[\w.]+)", "\n".join(lines), re.M)
                if rows:
                    yield self.in_body("returned", case, [f"if ({found.group(1)} === {rows[-1]}) return;"])
                    yield self.in_body("but one", case, [f"if ({found.group(1)} !== {rows[0]}) {{", "  return;", "}"])

    def cheat_cases_dropped(self):
        for path in sorted(self.tests):
            lines = self.files.lines(path)
            groups, run = [], []
            for row, line in enumerate(lines):
                if re.match(r"\s+(?:\[.*\],|\{ .* \},|\$\{.*\})$", line):
                    run.append(row)
                else:
                    if len(run) > 2:
                        groups.append(run)
                    run = []
            for run in groups:
                if not re.search(r"each|cases|PATHS|\[$", lines[run[0] - 1] + lines[run[0] - 2]):
                    continue
                if "toEqual([" in lines[run[0] - 1] or "deepEqual" in lines[run[0] - 1]:
                    continue
                yield self.files.put("one", path, (run[1], run[1] + 1, []))
                yield self.files.put("last", path, (run[-1], run[-1] + 1, []))
                yield self.files.put("most", path, (run[1], run[-1] + 1, []))
        for case in self.cases:
            text = "\n".join(self.source(case.path, case.body, case.body_end))
            found = re.search(r"for \(const \w+ of \[(.*), ([^,\]]*)\]\)", text)
            if found:
                yield self.files.put("inline", case.path, (case.body, case.body_end, text.replace(f", {found.group(2)}])", "])").split("\n")))
