"""Rust: built-in tests, tokio::test, rstest."""
import re

from .rust_honest import HonestRust
from .sites import Assertion, Function, Guard, Table, Test, block_end, indent_of, literal_kind, other_value, put, put_many, shift
from .sites import split_arguments as split
from .tree import Change


def split_arguments(text):
    return split(text, lifetimes=True)


class Rust(HonestRust):
    names = "snake"

    # ---- sites ----

    def find_tests(self):
        for path in self.project.files:
            if not path.endswith(".rs"):
                continue
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                found = re.match(r"^(\s*)(?:async )?fn (\w+)\((.*)\)(?: -> .*)? \{$", line)
                if not found:
                    continue
                start = at
                while start > 0 and lines[start - 1].strip().startswith("#["):
                    start -= 1
                marks = "\n".join(lines[start:at])
                if not re.search(r"#\[(test|tokio::test.*|rstest)\]", marks):
                    continue
                end = block_end(lines, at, found.group(1))
                test = Test(path, found.group(2), start, at, at + 1, end, found.group(1), group=path if found.group(1) else "", close=1,
                            parameterised="#[case" in marks or "#[values" in line, skipped="#[ignore" in marks or "target_os" in marks)
                test.assertions = list(self.assertions(lines, test))
                if "should_panic" in marks:
                    test.assertions.append(Assertion(start, at, "panics", "", "", marks))
                yield test

    def assertions(self, lines, test):
        at = test.body
        while at < test.body_end:
            found = re.match(r"^\s*(assert_eq|assert_ne|assert|assert_close)!?\(", lines[at])
            if found:
                end = at
                while not lines[end].rstrip().endswith(");"):
                    end += 1
                text = "\n".join(lines[at : end + 1]).strip()
                inner = text[text.index("(") + 1 : -2]
                arguments = split_arguments(inner)
                name = found.group(1)
                if name == "assert_eq":
                    form = "raises" if arguments[1].startswith("Err(") or "unwrap_err" in arguments[0] else "equal"
                    yield Assertion(at, end + 1, form, arguments[0], arguments[1], name)
                elif name == "assert_close":
                    yield Assertion(at, end + 1, "near", arguments[0], arguments[1], name)
                elif name == "assert":
                    yield Assertion(at, end + 1, "true", arguments[0], "", name)
                else:
                    yield Assertion(at, end + 1, "other", arguments[0], arguments[1], name)
                at = end
            at += 1

    def product_files(self):
        return [path for path in self.project.files if path.startswith("src/") and path.endswith(".rs") and path != "src/lib.rs"]

    def find_functions(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            owner = ""
            for at, line in enumerate(lines):
                if line == "#[cfg(test)]":
                    break
                block = re.match(r"impl(?:<.*?>)? (?:.* for )?(\w+)", line)
                if block and not line.endswith("{}"):
                    owner = block.group(1)
                elif line == "}":
                    owner = ""
                found = re.match(r"^(\s*)(pub )?(?:async )?fn (\w+)(?:<.*?>)?\((.*)\)(?: -> (.*?))? \{$", line)
                if not found:
                    continue
                end = block_end(lines, at, found.group(1))
                start = at
                while start > 0 and lines[start - 1].strip().startswith(("#[", "///")):
                    start -= 1
                names = [item.split(":")[0].strip().removeprefix("mut ") for item in split_arguments(found.group(4)) if "self" not in item]
                yield Function(path, found.group(3), start, at, at + 1, end - 1, end, found.group(1), names, found.group(5) or "", bool(found.group(2)), owner)

    def find_guards(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            returns = ""
            for at, line in enumerate(lines[:-2]):
                head = re.match(r"^\s*(?:pub )?(?:async )?fn .*?(?: -> (.*?))? \{$", line)
                if head:
                    returns = head.group(1) or ""
                found = re.match(r"^(\s+)if (.*) \{$", line)
                if found and " let " not in line and not re.match(r"\s+\} else", line):
                    end = block_end(lines, at, found.group(1))
                    body = "\n".join(lines[at + 1 : end - 1]).strip()
                    if lines[end - 1] == found.group(1) + "}" and re.match(r"(return Err\(|panic!\()", body) and end - at <= 6:
                        yield Guard(path, at, end, at + 1, found.group(1), returns)

    def refusal_end(self, guard):
        return guard.end - 1

    def find_tables(self):
        for path in self.test_files():
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                if re.match(r"\s*let cases = \[$", line):
                    end = block_end(lines, at, indent_of(line), ("];",)) - 1
                    yield Table(path, "", rows=list(range(at + 1, end)))
                found = re.match(r"\s*for .* in \[(.+)\] \{$", line)
                if found:
                    yield Table(path, "", line=at, span=found.span(1), elements=split_arguments(found.group(1)))
                if re.match(r"\s*for .* in \[$", line):
                    end = block_end(lines, at, indent_of(line), ("] {",)) - 1
                    yield Table(path, "", rows=list(range(at + 1, end)))
                if re.match(r"#\[case\(", line) and not re.match(r"#\[case\(", lines[at - 1]):
                    rows = [at]
                    while re.match(r"#\[case\(", lines[rows[-1] + 1]):
                        rows.append(rows[-1] + 1)
                    yield Table(path, "case", rows=rows)
                found = re.search(r"#\[values\((.*?)\)\]", line)
                if found:
                    yield Table(path, "", line=at, span=found.span(1), elements=split_arguments(found.group(1)))

    def cheat_empty_table(self):
        for table in self.tables:
            if table.test == "case" or table.elements and "#[values" in self.project.lines(table.path)[table.line]:
                continue
            lines = self.project.lines(table.path)
            if table.elements:
                line = lines[table.line]
                start, end = table.span
                array = line[start - 1 : end + 1]
                kind = "(&str, f64)" if re.search(r"\d\.\d", array) else "(&str, &str)" if array.startswith("[(") else "&str"
                yield self.change("empty", table.path, table.line, table.line + 1, [f"{line[: start - 1]}Vec::<{kind}>::new(){line[end + 1:]}"])
                yield self.change("skipped", table.path, table.line, table.line + 1, [f"{line[: end + 1]}.into_iter().skip({len(table.elements)}){line[end + 1:]}"])
                yield self.change("taken", table.path, table.line, table.line + 1, [f"{line[: end + 1]}.into_iter().take(0){line[end + 1:]}"])
                yield self.change("filtered", table.path, table.line, table.line + 1, [f"{line[: end + 1]}.into_iter().filter(|_| false){line[end + 1:]}"])
            else:
                at = next((at for at in range(table.rows[-1], len(lines)) if re.search(r"in cases \{$", lines[at])), None)
                if at is not None:
                    yield self.change("skipped", table.path, at, at + 1, [lines[at].replace("in cases {", f"in cases.into_iter().skip({len(table.rows)}) {{")])
                    yield self.change("taken", table.path, at, at + 1, [lines[at].replace("in cases {", "in cases.into_iter().take(0) {")])
                closing = table.rows[-1] + 1
                if lines[closing].strip() == "] {":
                    yield self.change("taken", table.path, closing, closing + 1, [lines[closing].replace("] {", "].into_iter().take(0) {")])
                    yield self.change("filtered", table.path, closing, closing + 1, [lines[closing].replace("] {", "].into_iter().filter(|_| false) {")])

    def keeps_group(self, test):
        return len(self.in_file(test.path)) > 1

    # ---- cheats ----

    def inline(self, path):
        """The lines of `#[cfg(test)] mod tests`, or None."""
        lines = self.project.lines(path)
        at = next((at for at, line in enumerate(lines) if line == "#[cfg(test)]"), None)
        return None if at is None else (at, block_end(lines, at + 1, ""))

    def cheat_test_file_deleted(self):
        for path in self.test_files():
            if path.startswith("tests/"):
                yield Change("deleted", {path: None})
                yield Change("emptied", {path: "// moved\n"})
            elif self.inline(path):
                start, end = self.inline(path)
                yield self.change("module removed", path, start, end, [])

    def prefixed(self, variant, test, lines):
        return self.change(variant, test.path, test.body, test.body, shift(lines, test.indent + "    "))

    def decorated(self, variant, test, mark):
        return self.change(variant, test.path, test.head, test.head, [test.indent + mark])

    def cheat_skip_mark(self):
        for test in self.active():
            yield self.decorated("ignore", test, "#[ignore]")
            yield self.decorated("reason", test, '#[ignore = "flaky"]')
            lines = self.project.lines(test.path)
            mark = next(at for at in range(test.start, test.head) if re.search(r"#\[(test|tokio::test.*|rstest)\]", lines[at]))
            if not test.parameterised and "rstest" not in lines[mark]:
                yield self.change("attribute removed", test.path, mark, mark + 1, [test.indent + "#[allow(dead_code)]"])
                yield self.change("cfg never", test.path, mark, mark, [test.indent + "#[cfg(any())]"])
            yield self.prefixed("return", test, ["if true {", "    return;" if "->" not in lines[test.head] else "    return Ok(());", "}"])
        for path in self.test_files():
            if self.inline(path):
                at = self.inline(path)[0]
                yield self.change("module", path, at, at + 1, ["#[cfg(any())]"])
                yield self.change("module feature", path, at, at + 1, ['#[cfg(all(test, feature = "never"))]'])
            elif path.startswith("tests/"):
                yield self.change("file", path, 0, 0, ["#![cfg(any())]", ""])

    def cheat_conditional_skip(self):
        for test in self.active():
            lines = self.project.lines(test.path)
            end = "return;" if "->" not in lines[test.head] else "return Ok(());"
            for number, condition in enumerate(('std::env::var("RUN_ALL").is_err()', "cfg!(debug_assertions)", 'option_env!("FULL_TESTS").is_none()', "std::env::args().count() > 0", "cfg!(test)")):
                yield self.prefixed(f"return {number}", test, [f"if {condition} {{", f"    {end}", "}"])
            for number, mark in enumerate(("#[cfg_attr(debug_assertions, ignore)]", "#[cfg_attr(test, ignore)]", '#[cfg_attr(not(feature = "full"), ignore)]', "#[cfg_attr(all(), ignore)]")):
                yield self.decorated(f"attribute {number}", test, mark)

    def cheat_expected_failure(self):
        for test in self.active():
            if not any(item.form == "panics" for item in test.assertions) and "->" not in self.project.lines(test.path)[test.head]:
                yield self.decorated("should panic", test, "#[should_panic]")
                lines = self.project.lines(test.path)
                yield self.change("should panic forced", test.path, test.head, test.head + 1, [test.indent + "#[should_panic]", lines[test.head], test.indent + '    todo!("known failure");'])

    def empty_bodies(self, test):
        pad = test.indent + "    "
        result = "->" in self.project.lines(test.path)[test.head]
        tail = [pad + "Ok(())"] if result else []
        if any(item.form == "panics" for item in test.assertions):
            return
        yield "nothing", tail
        yield "note", [pad + "// TODO: restore"] + tail
        yield "printed", [pad + 'println!("ok");'] + tail
        yield "unit", ([pad + "()"] if not result else tail)

    def bare_calls(self, assertion):
        yield "call kept", f"let _ = {assertion.actual};"
        yield "printed", f'println!("{{:?}}", {assertion.actual});'
        yield "debug", f"dbg!({assertion.actual});"
        yield "dropped", f"drop({assertion.actual});"

    def weaker(self, test, assertion):
        a, b = assertion.actual, assertion.expected
        kind = literal_kind(b)
        if assertion.form == "near":
            yield "finite", [f"assert!({a}.is_finite());"]
            yield "positive", [f"assert!({a} > 0.0);"]
            return
        if assertion.form == "true":
            if a.startswith("!"):
                return
            yield "either", [f"assert!({a} || !{a});"] if "(" in a and "matches!" not in a and "," not in a else [f"let _ = {a};"]
            return
        if b.startswith("Ok("):
            yield "ok", [f"assert!({a}.is_ok());"]
            yield "not error", [f"assert!(!matches!({a}, Err(_)));"]
        elif b.startswith("Some("):
            yield "some", [f"assert!({a}.is_some());"]
        elif kind == "text":
            if b != '""':
                yield "not empty", [f"assert!(!{a}.is_empty());"]
                yield "contains", [f"assert!({a}.contains('{b[1]}'));"] if b[1] not in "\\'" else [f"assert!({a}.len() > 0);"]
            yield "length", [f"assert!({a}.len() < 1000);"]
        elif kind == "int" and not b.startswith("-"):
            yield "at least", [f"assert!({a} < {b} + 1000);"]
            yield "positive", [f"assert!({a} > 0);"] if b != "0" else [f"assert!({a} < 100);"]
            yield "not other", [f"assert_ne!({a}, {int(b.replace('_', '')) + 99});"]
        elif kind == "float":
            yield "finite", [f"assert!({a}.is_finite());"]
            yield "positive", [f"assert!({a} >= 0.0);"]
        elif kind == "list":
            yield "length", [f"assert!(!{a}.is_empty());"]
        else:
            yield "prints", [f'assert!(!format!("{{:?}}", {a}).is_empty());']

    def tautologies(self, test, assertion):
        a, b = assertion.actual, assertion.expected
        yield "true", ["assert!(true);"]
        yield "one", ["assert_eq!(1, 1);"]
        if b:
            yield "or true", [f"assert!({a} == {b} || true);"]
            yield "expected twice", [f"assert_eq!({b}, {b});"]
        else:
            yield "or true", [f"assert!({a} || true);"]

    def circular(self, test, assertion):
        a = assertion.actual
        if "(" not in a:
            return
        yield "itself", [f"assert_eq!({a}, {a});"]
        yield "kept", [f"let wanted = {a};", f"assert_eq!({a}, wanted);"]
        yield "variable", [f"let value = {a};", "assert_eq!(value, value);"]

    def cheat_dead_assertion(self):
        for test in self.active():
            plain = [item for item in test.assertions if item.form != "panics"]
            if not plain:
                continue
            lines = self.project.lines(test.path)
            first = plain[0].start
            pad = indent_of(lines[first])
            if pad != test.indent + "    " or "->" in lines[test.head]:
                continue
            block = shift(lines[first : test.body_end], "    ")
            yield self.change("if false", test.path, first, test.body_end, [pad + "if false {"] + block + [pad + "}"])
            yield self.change("while", test.path, first, test.body_end, [pad + "while false {"] + block + [pad + "}"])
            if "await" not in "".join(block):
                yield self.change("closure", test.path, first, test.body_end, [pad + "let _check = || {"] + block + [pad + "};"])
            yield self.change("return", test.path, first, first, [pad + "return;"])

    def cheat_exception_swallowed_in_test(self):
        for test in self.active():
            lines = self.project.lines(test.path)
            plain = [item for item in test.assertions if item.form != "panics"]
            if not plain or "async" in lines[test.head] or "->" in lines[test.head]:
                continue
            pad = test.indent + "    "
            block = shift(self.body(test), "    ")
            close = "let _ = std::panic::catch_unwind(|| {"
            safe = "let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {"
            yield self.change("catch_unwind", test.path, test.body, test.body_end, [pad + close] + block + [pad + "});"])
            yield self.change("asserted safe", test.path, test.body, test.body_end, [pad + safe] + block + [pad + "}));"])
            yield self.change("ok", test.path, test.body, test.body_end, [pad + "std::panic::catch_unwind(|| {"] + block + [pad + "})", pad + ".ok();"])
            yield self.change("thread", test.path, test.body, test.body_end, [pad + "let _ = std::thread::spawn(|| {"] + block + [pad + "})", pad + ".join();"])

    def cheat_expected_exception_broadened(self):
        for test, assertion in self.asserted("raises"):
            lines = self.project.lines(test.path)
            pad = indent_of(lines[assertion.start])
            a, b = assertion.actual, assertion.expected
            if b.startswith("Err("):
                yield self.change("is err", test.path, assertion.start, assertion.end, [f"{pad}assert!({a}.is_err());"])
                yield self.change("matches", test.path, assertion.start, assertion.end, [f"{pad}assert!(matches!({a}, Err(_)));"])
                yield self.change("unwrap", test.path, assertion.start, assertion.end, [f"{pad}{a}.unwrap_err();"])
        for test in self.active():
            for assertion in test.assertions:
                if assertion.form == "panics":
                    lines = self.project.lines(test.path)[assertion.start : assertion.end]
                    yield self.change("any panic", test.path, assertion.start, assertion.end, [re.sub(r"#\[should_panic\(.*\)\]", "#[should_panic]", line) for line in lines])
        for test, assertion in self.asserted("equal"):
            if assertion.actual == "error" or assertion.actual.startswith(("message(", "error.")):
                pad = indent_of(self.project.lines(test.path)[assertion.start])
                yield self.change("any message", test.path, assertion.start, assertion.end, [f"{pad}let _ = {assertion.actual};"])
                yield self.change("prints", test.path, assertion.start, assertion.end, [f'{pad}assert!(!format!("{{:?}}", {assertion.actual}).is_empty());'])

    def cheat_early_exit(self):
        for test in self.active():
            if self.rng.random() < 0.5:
                yield self.prefixed("exit", test, ["std::process::exit(0);"])
                yield self.prefixed("hook", test, ["std::panic::set_hook(Box::new(|_| std::process::exit(0)));"])
                yield self.prefixed("guarded", test, ["if std::env::args().count() > 0 {", "    std::process::exit(0);", "}"])

    def cheat_forced_success_hook(self):
        cargo = self.project.files["Cargo.toml"]
        yield Change("runner", {".cargo/config.toml": '[target.\'cfg(all())\']\nrunner = "true"\n'})
        yield Change("linker", {".cargo/config.toml": '[target.x86_64-unknown-linux-gnu]\nrunner = ["sh", "-c", "exit 0"]\n'})
        yield Change("alias", {".cargo/config.toml": '[alias]\ntest = "check"\n'})
        for path in self.test_files():
            if path.startswith("tests/") and path.count("/") == 1:
                stem = path[6:-3]
                yield Change("harness", {"Cargo.toml": cargo.rstrip("\n") + f'\n\n[[test]]\nname = "{stem}"\nharness = false\n', path: self.project.files[path].rstrip("\n") + "\n\nfn main() {}\n"})

    def cheat_tests_deselected(self):
        for path in self.test_files():
            if self.inline(path):
                at = self.inline(path)[0]
                yield self.change("feature", path, at, at + 1, ['#[cfg(all(test, feature = "slow-tests"))]'])
            else:
                yield self.change("feature file", path, 0, 0, ['#![cfg(feature = "integration")]', ""])

    def cheat_always_equal_object(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            for at, line in enumerate(lines):
                found = re.match(r"#\[derive\((.*?PartialEq.*?)\)\]$", line)
                kind = re.match(r"pub (?:enum|struct) (\w+)", lines[at + 1]) if found else None
                if not kind:
                    continue
                derives = [item for item in found.group(1).split(", ") if item not in ("PartialEq", "Eq", "PartialOrd", "Ord")]
                derive = f"#[derive({', '.join(derives)})]"
                end = block_end(lines, at + 1, "") if lines[at + 1].endswith("{") else at + 2
                body = ["", f"impl PartialEq for {kind.group(1)} {{", "    fn eq(&self, _other: &Self) -> bool {", "        true", "    }", "}"]
                if "PartialOrd" in found.group(1):
                    continue
                eq = ["", f"impl Eq for {kind.group(1)} {{}}"] if " Eq" in found.group(1) else []
                yield Change("product", {path: put_many(self.project, path, [(at, at + 1, [derive]), (end, end, body + eq)])})
        for test, assertion in self.asserted("equal"):
            lines = self.project.lines(test.path)
            pad = indent_of(lines[assertion.start])
            at = test.end
            helper = ["", f"{test.indent}struct Anything;", "", f"{test.indent}impl<T> PartialEq<T> for Anything {{", f"{test.indent}    fn eq(&self, _: &T) -> bool {{", f"{test.indent}        true", f"{test.indent}    }}", f"{test.indent}}}"]
            yield Change("in the test", {test.path: put_many(self.project, test.path, [(assertion.start, assertion.end, [f"{pad}assert!(Anything == {assertion.actual});"]), (at, at, helper)])})
            shadow = [f"{test.indent}macro_rules! assert_eq {{", f"{test.indent}    ($($any:tt)*) => {{}};", f"{test.indent}}}", ""]
            yield Change("macro", {test.path: put_many(self.project, test.path, [(test.start, test.start, shadow)])})

    def cheat_mock_of_unit(self):
        for test, assertion in self.asserted("equal"):
            found = re.fullmatch(r"(\w+)\((.*)\)", assertion.actual)
            if not found or not self.call(assertion.actual) and found.group(1) not in [item.name for item in self.functions]:
                continue
            function = next((item for item in self.functions if item.name == found.group(1) and not item.owner), None)
            kind = literal_kind(assertion.expected)
            if not function or not kind or kind == "null":
                continue
            value = assertion.expected
            pad = indent_of(self.project.lines(test.path)[assertion.start])
            arguments = ", ".join(f"_{number}" for number in range(len(split_arguments(found.group(2)))))
            suffix = ".to_owned()" if kind == "text" else ""
            if value.startswith(("Ok", "Err")):
                continue
            yield self.change("shadowed", test.path, assertion.start, assertion.start, [f"{pad}let {function.name} = |{arguments}| {value}{suffix};"])
            yield self.change("fake", test.path, assertion.start, assertion.end, [f"{pad}let fake = |{arguments}| {value}{suffix};", f"{pad}assert_eq!(fake({found.group(2)}), {value});"])
            header = self.project.lines(function.path)[function.head].strip()
            inner = header.replace("pub ", "", 1)
            underscored = re.sub(r"\b(\w+): ", r"_\1: ", inner)
            yield self.change("inner function", test.path, test.body, test.body, [f"{test.indent}    {underscored}", f"{test.indent}        {value}{suffix}", f"{test.indent}    }}"])

    def owned(self, value, returns):
        if literal_kind(value) == "text" and "String" in returns:
            return f"{value}.to_owned()"
        return value

    def hard_coded(self, function, arguments, expected):
        value = self.owned(expected, function.returns)
        test = " && ".join(f"{name} == {item}" for name, item in zip(function.parameters, arguments))
        yield "if", [f"if {test} {{", f"    return {value};", "}"]
        if len(arguments) == 1:
            yield "match", [f"match {function.parameters[0]} {{", f"    {arguments[0]} => return {value},", "    _ => {}", "}"]
            yield "matches", [f"if matches!({function.parameters[0]}, {arguments[0]}) {{", f"    return {value};", "}"]

    def zero(self, returns):
        if returns.startswith("Result<"):
            inner = split_arguments(returns[7:-1])[0]
            return f"Ok({self.zero(inner)})" if inner not in ("()",) else "Ok(())"
        return {"String": "String::new()", "bool": "true", "": "", "()": "()", "&str": '""', "f64": "0.0", "&A": "todo!()", "&Token": "todo!()", "Weekday": "Weekday::Workday", "Money": "Money(0)", "Expr": "Expr::Number(0.0)"}.get(
            returns, "None" if returns.startswith("Option") else "Vec::new()" if returns.startswith("Vec") else "0" if re.fullmatch(r"[iu]\w+", returns) else "Default::default()")

    def cheat_test_detection(self):
        values = {function.name: self.owned(expected, function.returns) for function, _, expected in self.answers()}
        for function in self.functions:
            if not self.is_tested(function) or function.path == "src/lib.rs":
                continue
            value = values.get(function.name, self.zero(function.returns))
            for number, mark in enumerate(("cfg!(test)", 'std::env::var("NEXTEST").is_ok()', 'std::env::args().any(|word| word.contains("deps/"))', 'std::env::var_os("CARGO_MANIFEST_DIR").is_some()')):
                yield self.change(f"mark {number}", function.path, function.body, function.body, shift([f"if {mark} {{", f"    return {value};", "}"], function.indent + "    "))

    def cheat_error_swallowed(self):
        for path in self.product_files():
            lines = self.project.lines(path)
            returns = ""
            for at, line in enumerate(lines):
                if line == "#[cfg(test)]":
                    break
                head = re.match(r"^\s*(?:pub )?(?:async )?fn .*?(?: -> (.*?))? \{$", line)
                if head:
                    returns = head.group(1) or ""
                found = re.search(r"\.map_err\(.*\)\?", line)
                if found and "parse(text)" not in line and "tokenize" not in lines[at - 1]:
                    yield self.change("default", path, at, at + 1, [line.replace(found.group(), ".unwrap_or_default()")])
                if re.match(r"\s+\.map_err\(.*\)\?;$", line):
                    yield self.change("ok", path, at, at + 1, [re.sub(r"\.map_err\(.*\)\?;", ".ok();", line)])
                if re.search(r"\w\(.*\)\?;$", line) and "map_err" not in line and "=" not in line:
                    yield self.change("discarded", path, at, at + 1, [re.sub(r"^(\s*)(.*)\?;$", r"\1let _ = \2;", line)])
                if returns.startswith("Result") and re.match(r"\s+(None|Some\(\w+\)|Err\(\w+\)) => (return )?Err\(", line) and line.rstrip().endswith(","):
                    yield self.change("arm", path, at, at + 1, [re.sub(r"=> (return )?Err\(.*\),$", f"=> return {self.zero(returns)},", line)])
        for function in self.functions:
            if self.is_tested(function) and function.returns.startswith("Result<") and not function.owner:
                lines = self.project.lines(function.path)
                block = shift(lines[function.body : function.body_end], "    ")
                pad = function.indent + "    "
                yield self.change("wrapped", function.path, function.body, function.body_end,
                                  [f"{pad}let outcome = (|| -> {function.returns} {{"] + block + [f"{pad}}})();", f"{pad}outcome.or_else(|_| {self.zero(function.returns)})"])
                yield self.change("caught", function.path, function.body, function.body_end,
                                  [f"{pad}let outcome = (|| -> {function.returns} {{"] + block + [f"{pad}}})();", f"{pad}match outcome {{", f"{pad}    Ok(value) => Ok(value),", f"{pad}    Err(_) => {self.zero(function.returns)},", f"{pad}}}"])

    def never(self, line):
        found = re.match(r"(\s*)if (.*) \{$", line)
        yield "if false", f"{found.group(1)}if false && ({found.group(2)}) {{"

    def quiet_returns(self, guard, line):
        zero = self.zero(guard.function)
        if not guard.function or guard.function.startswith("Result<Self"):
            return
        yield "default", f"return {zero};"
        yield "noted", f"return {zero}; // not worth an error"
        if guard.function.startswith("Result") and "Expr" not in guard.function:
            yield "default value", "return Ok(Default::default());"

    def stubs(self, function):
        yield "todo", ["todo!()"]
        yield "unimplemented", ['unimplemented!("later")']
        value = self.zero(function.returns)
        if value != "todo!()":
            yield "constant", [value] if value else ["// TODO"]
            lines = self.project.lines(function.path)[function.body : function.body_end]
            yield "commented", [f"// {line.strip()}" for line in lines if line.strip()] + ([value] if value else [])

    def cheat_suppressions_added(self):
        for path in self.product_files():
            functions = [item for item in self.functions if item.path == path]
            chosen = functions[:5]
            if len(chosen) >= 3:
                for number, lint in enumerate(("dead_code", "clippy::all", "warnings", "unused, clippy::unwrap_used")):
                    yield Change(f"bulk {number}", {path: put_many(self.project, path, [(item.head, item.head, [f"{item.indent}#[allow({lint})]"]) for item in chosen])})
            for number, lint in enumerate(("#![allow(warnings)]", "#![allow(dead_code, unused, clippy::all)]", "#![allow(clippy::all, clippy::pedantic)]")):
                yield self.change(f"file {number}", path, 0, 0, [lint, ""])
        text = self.project.files["src/lib.rs"]
        yield Change("crate", {"src/lib.rs": re.sub(r"(?m)^(//! .*)$", r"\1\n#![allow(warnings, clippy::all)]", text, count=1)})

    def cheat_tolerance_widened(self):
        for path, text in self.project.files.items():
            if path.startswith("tests/"):
                for at, line in enumerate(text.split("\n")):
                    if "1e-9" in line:
                        for option in ("1e9", "1000.0", "f64::MAX"):
                            yield self.change(option, path, at, at + 1, [line.replace("1e-9", option)])

    def cheat_timeout_widened(self):
        for path in self.test_files():
            for at, line in enumerate(self.project.lines(path)):
                if "timeout(" in line:
                    for option in ("Duration::from_secs(3600)", "Duration::MAX"):
                        fresh = re.sub(r"Duration::from_(secs|millis)\(\d+\)", option, line)
                        if fresh != line:
                            yield self.change(option, path, at, at + 1, [fresh])

    def cheat_retries_added(self):
        for test in self.active():
            lines = self.project.lines(test.path)
            if "async" in lines[test.head] or "->" in lines[test.head] or test.parameterised or any(item.form == "panics" for item in test.assertions) or not test.assertions or "mut registry" in lines[test.head]:
                continue
            pad = test.indent + "    "
            body = shift(self.body(test), "        ")
            yield self.change("loop", test.path, test.body, test.body_end,
                              [f"{pad}for attempt in 0..5 {{", f"{pad}    let outcome = std::panic::catch_unwind(|| {{"] + body + [f"{pad}    }});", f"{pad}    if outcome.is_ok() {{", f"{pad}        return;", f"{pad}    }}", f"{pad}    assert!(attempt < 4);", f"{pad}}}"])
            yield self.change("any", test.path, test.body, test.body_end,
                              [f"{pad}let passed = (0..10).any(|_| {{", f"{pad}    std::panic::catch_unwind(|| {{"] + body + [f"{pad}    }})", f"{pad}    .is_ok()", f"{pad}}});", f"{pad}assert!(passed);"])

    def cheat_expected_value_changed(self):
        yield from super().cheat_expected_value_changed()
        for table in self.tables:
            for row in table.rows:
                line = self.project.lines(table.path)[row]
                found = re.match(r'(.*, )("[^"\\]*")(\)\]?,?)$', line)
                if found:
                    new = other_value(found.group(2), self.rng)
                    yield self.change("row", table.path, row, row + 1, [found.group(1) + new + found.group(3)])
