"""Languages the guard only reports on: the shared kinds and a few of their own."""
import re

from .language import Language
from .sites import Assertion, Function, Guard, Table, Test, block_end, indent_of, literal_kind, shift, split_arguments


class Braces(Language):
    """Languages whose tests are methods in braces."""
    suffix = ""
    tests_in = "test"
    step = "    "
    ends = ";"

    def find_tests(self):
        for path in self.project.files:
            if not path.endswith(self.suffix) or self.tests_in not in path.lower() or "helper" in path:
                continue
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                name = self.declared(lines, at)
                if not name:
                    continue
                start = at
                while re.match(r"\s*[@#\[]|\s*\"[^\"]*\",$|\s*\}\)$", lines[start - 1]) and lines[start - 1].strip():
                    start -= 1
                indent = indent_of(line)
                body = at + 1
                if lines[body].strip() == "{":
                    body += 1
                end = block_end(lines, at, indent, self.closers)
                marks = "\n".join(lines[start:at])
                test = Test(path, name, start, at, body, end, indent, group=indent and path, close=1, parameterised="Param" in marks or "Theory" in marks or "DataProvider" in marks)
                for row in range(body, end - 1):
                    assertion = self.assertion(lines[row].strip(), row)
                    if assertion:
                        test.assertions.append(assertion)
                yield test

    closers = ("}",)

    def find_guards(self):
        for path in self.project.files:
            if not path.endswith(self.suffix) or self.tests_in in path.lower():
                continue
            lines = self.project.lines(path)
            for at, line in enumerate(lines[:-3]):
                if re.match(r"\s+if \(.*\)( \{)?$", line):
                    end = block_end(lines, at, indent_of(line))
                    if end - at <= 4 and any("throw " in row for row in lines[at:end]):
                        refusal = next(row for row in range(at, end) if "throw " in lines[row])
                        yield Guard(path, at, end, refusal, indent_of(line))

    def empty_bodies(self, test):
        yield "nothing", []
        yield "note", [f"{test.indent}{self.step}{self.comment} TODO: restore"]

    def bare_calls(self, assertion):
        yield "call kept", assertion.actual + self.ends

    def with_expected(self, test, assertion, new):
        line = self.project.lines(test.path)[assertion.start]
        return [line.replace(assertion.expected, new, 1)]

    def skipped(self, test):
        return ()

    def cheat_skip_mark(self):
        for test in self.active():
            for variant, start, end, new in self.skipped(test):
                yield self.change(variant, test.path, start, end, new)

    def mark(self, variant, test, line):
        return variant, test.start, test.start, [test.indent + line]


class Java(Braces):
    suffix = ".java"

    @property
    def swapped(self):
        return self.project.framework == "testng"

    def declared(self, lines, at):
        found = re.match(r"\s+(?:public )?void (\w+)\(.*\) \{$", lines[at])
        return found.group(1) if found and re.search(r"@(Test|ParameterizedTest|CsvSource)|\}\)$", lines[at - 1]) else None

    def assertion(self, line, at):
        found = re.match(r"(assert\w+)\((.*)\);$", line)
        if not found:
            return None
        arguments = split_arguments(found.group(2))
        if found.group(1) == "assertEquals":
            actual, expected = (arguments[0], arguments[1]) if self.swapped else (arguments[1], arguments[0])
            return Assertion(at, at + 1, "equal", actual, expected)
        form = {"assertTrue": "true", "assertThrows": "raises"}.get(found.group(1), "other")
        return Assertion(at, at + 1, form, arguments[0], "")

    def skipped(self, test):
        if self.swapped:
            line = self.project.lines(test.path)[test.start]
            yield "disabled", test.start, test.start + 1, [line.replace("@Test(", "@Test(enabled = false, ") if "@Test(" in line else line.replace("@Test", "@Test(enabled = false)")]
        else:
            yield self.mark("disabled", test, "@org.junit.jupiter.api.Disabled")
            yield self.mark("reason", test, '@org.junit.jupiter.api.Disabled("flaky")')

    def weaker(self, test, assertion):
        if assertion.form == "equal":
            yield "true", [f"assertTrue({assertion.actual} != null);"] if literal_kind(assertion.expected) == "text" else [f"assertTrue({assertion.actual} >= 0);"]

    def tautologies(self, test, assertion):
        yield "true", ["assertTrue(true);"]
        yield "one", ["assertEquals(1, 1);"]

    def circular(self, test, assertion):
        yield "itself", [f"assertEquals({assertion.actual}, {assertion.actual});"]

    def quiet_returns(self, guard, line):
        yield "return", "return;" if "withdraw" in line or "insufficient" in line or "positive" in line and "limit" not in line else "System.err.println(\"ignored\");"


class CSharp(Braces):
    suffix = ".cs"

    def declared(self, lines, at):
        found = re.match(r"\s+public void (\w+)\(.*\)$", lines[at])
        return found.group(1) if found and "[" in lines[at - 1] else None

    def assertion(self, line, at):
        found = re.match(r"Assert\.(\w+)(?:<\w+>)?\((.*)\);$", line)
        if not found:
            return None
        arguments = split_arguments(found.group(2))
        if found.group(1) == "Equal":
            return Assertion(at, at + 1, "equal", arguments[1], arguments[0])
        return Assertion(at, at + 1, "raises" if found.group(1) == "Throws" else "other", arguments[0], "")

    def skipped(self, test):
        lines = self.project.lines(test.path)
        for at in range(test.start, test.head):
            if re.search(r"\[(Fact|Theory)\]", lines[at]):
                yield "skip", at, at + 1, [re.sub(r"\[(Fact|Theory)\]", r'[\1(Skip = "flaky")]', lines[at])]
                yield "removed", at, at + 1, []

    def bare_calls(self, assertion):
        yield "discarded", f"_ = {assertion.actual};"

    def weaker(self, test, assertion):
        if assertion.form == "equal":
            yield "not null", [f"Assert.NotNull((object){assertion.actual});"]

    def tautologies(self, test, assertion):
        yield "true", ["Assert.True(true);"]
        yield "one", ["Assert.Equal(1, 1);"]

    def circular(self, test, assertion):
        yield "itself", [f"Assert.Equal({assertion.actual}, {assertion.actual});"]


class Php(Braces):
    suffix = ".php"

    def declared(self, lines, at):
        found = re.match(r"\s+public function (test\w+)\(", lines[at])
        return found.group(1) if found else None

    def assertion(self, line, at):
        found = re.match(r"\$this->(assert\w+|expectException)\((.*)\);$", line)
        if not found:
            return None
        arguments = split_arguments(found.group(2))
        if found.group(1) == "assertSame":
            return Assertion(at, at + 1, "equal", arguments[1], arguments[0])
        return Assertion(at, at + 1, {"assertTrue": "true", "expectException": "raises"}.get(found.group(1), "other"), arguments[0], "")

    def skipped(self, test):
        yield "skipped", test.body, test.body, [f"{test.indent}    $this->markTestSkipped('flaky');"]
        yield "incomplete", test.body, test.body, [f"{test.indent}    $this->markTestIncomplete();"]

    def weaker(self, test, assertion):
        if assertion.form == "equal":
            yield "not null", [f"$this->assertNotNull({assertion.actual});"]

    def tautologies(self, test, assertion):
        yield "true", ["$this->assertTrue(true);"]
        yield "one", ["$this->assertSame(1, 1);"]

    def circular(self, test, assertion):
        yield "itself", [f"$this->assertSame({assertion.actual}, {assertion.actual});"]


class CPlusPlus(Braces):
    suffix = ".cpp"
    step = "  "

    def declared(self, lines, at):
        found = re.match(r"TEST(?:_F)?\(\w+, (\w+)\) \{$", lines[at])
        return found.group(1) if found else None

    def assertion(self, line, at):
        found = re.match(r"(EXPECT|ASSERT)_(\w+)\((.*)\);$", line)
        if not found:
            return None
        arguments = split_arguments(found.group(3))
        form = {"EQ": "equal", "TRUE": "true", "THROW": "raises"}.get(found.group(2), "other")
        return Assertion(at, at + 1, form, arguments[0], arguments[1] if len(arguments) > 1 else "")

    def skipped(self, test):
        line = self.project.lines(test.path)[test.head]
        yield "disabled", test.head, test.head + 1, [line.replace(f", {test.name})", f", DISABLED_{test.name})")]
        yield "skipped", test.body, test.body, ['  GTEST_SKIP() << "flaky";']

    def weaker(self, test, assertion):
        if assertion.form == "equal":
            yield "at least", [f"EXPECT_GE({assertion.actual}, 0);"]

    def tautologies(self, test, assertion):
        yield "true", ["EXPECT_TRUE(true);"]
        yield "one", ["EXPECT_EQ(1, 1);"]

    def circular(self, test, assertion):
        yield "itself", [f"EXPECT_EQ({assertion.actual}, {assertion.actual});"]


class Ruby(Braces):
    suffix = ".rb"
    tests_in = "_spec"
    comment = "#"
    closers = ("end",)
    names = "text"
    step = "  "
    ends = ""

    def declared(self, lines, at):
        found = re.match(r"\s+it '(.*)' do$", lines[at])
        return found.group(1) if found else None

    def assertion(self, line, at):
        found = re.match(r"expect\((.*)\)\.to eq\((.*)\)$", line)
        if found:
            return Assertion(at, at + 1, "equal", found.group(1), found.group(2))
        return Assertion(at, at + 1, "raises", line, "") if line.startswith("expect {") else None

    def block_comment(self, lines):
        return ["=begin"] + lines + ["=end"]

    def skipped(self, test):
        line = self.project.lines(test.path)[test.head]
        yield "xit", test.head, test.head + 1, [line.replace("it '", "xit '", 1)]
        yield "pending", test.body, test.body, [f"{test.indent}  pending 'later'"]
        yield "skip", test.body, test.body, [f"{test.indent}  skip 'flaky'"]

    def weaker(self, test, assertion):
        yield "truthy", [f"expect({assertion.actual}).to be_truthy"]
        yield "not nil", [f"expect({assertion.actual}).not_to be_nil"]

    def tautologies(self, test, assertion):
        yield "true", ["expect(true).to eq(true)"]
        yield "one", ["expect(1).to eq(1)"]

    def circular(self, test, assertion):
        yield "itself", [f"expect({assertion.actual}).to eq({assertion.actual})"]
