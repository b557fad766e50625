"""Honest changes of Rust projects."""
import re

from .language import Language
from .sites import block_end, drop, indent_of, literal_kind, put, put_many, shift
from .sites import split_arguments as split
from .tree import Change


def split_arguments(text):
    return split(text, lifetimes=True)


class HonestRust(Language):
    def head_of(self, path):
        """Inner items before the first test of a file in tests/: imports and helpers."""
        lines = self.project.lines(path)
        return lines[: min(test.start for test in self.in_file(path))]

    def helpers_stay(self, path):
        return not any(re.match(r"(fn|#\[fixture|#\[track|mod )", line) for line in self.head_of(path))

    def pruned(self, path, text):
        if not path.endswith(".rs"):
            return text
        out = []
        for line in text.split("\n"):
            found = re.match(r"^(use [\w:]+::)(?:\{(.*)\}|(\w+));$", line)
            if found:
                rest = text.replace(line, "", 1)
                names = [item.strip() for item in (found.group(2) or found.group(3)).split(",")]
                if names != ["*"] and not any("::" in item or item == "self" for item in names):
                    kept = [item for item in names if re.search(rf"\b{item}\b", rest) or item == "Audit"]
                    if not kept:
                        continue
                    line = found.group(1) + (kept[0] if len(kept) == 1 else "{" + ", ".join(kept) + "}") + ";"
            out.append(line)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(out).lstrip("\n"))

    def tidy(self, path, text):
        return None if text is None else re.sub(r"\n{3,}", "\n\n", text)

    def without_import(self, text, name):
        text = re.sub(rf"(?m)^((?:pub )?use .*?)(?:, \b{name}\b(?=[,}}])|(?<=\{{)\b{name}\b, )(.*)$", r"\1\2", text)
        text = re.sub(r"(?m)^((?:pub )?use [\w:]+::)\{(\w+)\};$", r"\1\2;", text)
        return re.sub(rf"(?m)^(?:pub )?use [\w:]+::{name};\n", "", text)

    def moved_to(self, path, tests):
        lines = self.project.lines(path)
        head = "\n".join(self.head_of(path)).rstrip("\n")
        body = "\n\n".join("\n".join(lines[test.start : test.end]) for test in tests)
        return self.pruned(path, f"{head}\n\n{body}\n")

    def honest_test_moved(self):
        for test in self.tests:
            if test.path.startswith("tests/") and len(self.in_file(test.path)) > 2 and self.helpers_stay(test.path) and not test.skipped:
                rest = self.pruned(test.path, drop(self.project, test.path, [(test.start, test.end)]))
                yield Change("new file", {test.path: rest, f"tests/{test.name}.rs": self.moved_to(test.path, [test])})
            elif test.path.startswith("src/") and test.assertions and not test.skipped:
                # From the module to tests/: only what is public may be used.
                body = "\n".join(self.project.lines(test.path)[test.start : test.end])
                names = [item.name for item in self.functions if not item.owner and re.search(rf"\b{item.name}\(", body)]
                other = re.search(r"\b(date|backoff|name|Money|MoneyError|Date|DateError|Token|Duration|Backoff|Weekday|format|super)\b", body)
                if names and not other:
                    module = test.path[4:-3]
                    crate = re.search(r'name = "(\w+)"', self.project.files["Cargo.toml"]).group(1)
                    public = re.search(rf"pub mod {module};", self.project.files["src/lib.rs"])
                    where = f"{crate}::{module}" if public else crate
                    exported = all(public or re.search(rf"\b{name}\b", self.project.files["src/lib.rs"]) for name in names)
                    if exported:
                        use = names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
                        block = "\n".join(line.removeprefix("    ") for line in body.split("\n"))
                        rest = drop(self.project, test.path, [(test.start, test.end)])
                        yield Change("to tests", {test.path: rest, f"tests/{test.name}.rs": f"use {where}::{use};\n\n{block}\n"})

    def honest_test_file_split(self):
        for path in self.test_files():
            tests = self.in_file(path)
            if path.startswith("tests/") and len(tests) > 3 and self.helpers_stay(path):
                stem = path[6:-3]
                for size in (2, 3, len(tests) // 2):
                    if size < len(tests) - 1:
                        gone = tests[-size:]
                        rest = self.pruned(path, drop(self.project, path, [(test.start, test.end) for test in gone]))
                        yield Change("split", {path: rest, f"tests/{stem}_more.rs": self.moved_to(path, gone)})
            elif path.startswith("src/") and self.inline(path):
                # The module of tests becomes a file of its own.
                start, end = self.inline(path)
                lines = self.project.lines(path)
                inner = "\n".join(line.removeprefix("    ") for line in lines[start + 2 : end - 1])
                text = "\n".join(lines[:start] + ["#[cfg(test)]", "mod tests;"]) + "\n"
                yield Change("module file", {path: text, f"{path[:-3]}/tests.rs": inner + "\n"})

    def honest_test_file_renamed(self):
        for path in self.test_files():
            if path.startswith("tests/"):
                stem = path[6:-3]
                for new in (f"{stem}s", f"{stem}_rules", f"{stem}_integration"):
                    yield Change("moved", {}, {path: f"tests/{new}.rs"})

    def single(self, test):
        if len(test.assertions) != 1 or test.parameterised or test.skipped or "async" in self.project.lines(test.path)[test.head]:
            return None
        assertion = test.assertions[0]
        if assertion.form != "equal" or test.body_end - test.body != assertion.end - assertion.start:
            return None
        found = re.fullmatch(r"(\w+)\((.*)\)", assertion.actual)
        if not found or not all(literal_kind(item) for item in split_arguments(found.group(2))) or not literal_kind(assertion.expected):
            return None
        return found.group(1), split_arguments(found.group(2)), assertion.expected

    def honest_tests_merged(self):
        for path in self.test_files():
            groups = {}
            for test in self.in_file(path):
                found = self.single(test)
                if found and (test.path, test.name) not in self.doubles:
                    groups.setdefault((found[0], len(found[1])), []).append((test, found))
            for (name, arity), members in groups.items():
                for size in range(2, len(members) + 1):
                    chosen = members[:size]
                    first = chosen[0][0]
                    pad = first.indent
                    names = ["a", "b", "c"][:arity]
                    rows = [f"{pad}        ({', '.join(arguments + [expected])})," for _, (_, arguments, expected) in chosen]
                    if self.project.framework == "rstest" and self.rng.random() < 0.6:
                        kinds = {"int": "u64", "text": "&str", "wrapped": None}
                        types = [kinds.get(literal_kind(item)) for item in chosen[0][1][1]]
                        expected = kinds.get(literal_kind(chosen[0][1][2]))
                        if all(types) and expected:
                            new = [f"{pad}#[rstest]"] + [f"{pad}#[case({', '.join(arguments + [value])})]" for _, (_, arguments, value) in chosen]
                            new += [f"{pad}fn {name}_values({', '.join(f'#[case] {item}: {kind}' for item, kind in zip(names, types))}, #[case] expected: {expected}) {{", f"{pad}    assert_eq!({name}({', '.join(names)}), expected);", f"{pad}}}"]
                        else:
                            continue
                    else:
                        new = [f"{pad}#[test]", f"{pad}fn {name}_values() {{", f"{pad}    for ({', '.join(names + ['expected'])}) in ["] + rows + [f"{pad}    ] {{", f"{pad}        assert_eq!({name}({', '.join(names)}), expected);", f"{pad}    }}", f"{pad}}}"]
                    lines = self.project.lines(path)
                    for test, _ in sorted(chosen, key=lambda member: -member[0].start):
                        if test is first:
                            lines[test.start : test.end] = new
                        else:
                            start = test.start
                            while start > 0 and not lines[start - 1].strip():
                                start -= 1
                            lines[start : test.end] = []
                    yield Change("table", {path: "\n".join(lines)})

    def honest_assertion_equivalent(self):
        for test in self.tests:
            for assertion in test.assertions:
                if assertion.form == "panics":
                    continue
                lines = self.project.lines(test.path)[assertion.start : assertion.end]
                pad = indent_of(lines[0])
                a, b = assertion.actual, assertion.expected
                if assertion.detail == "assert_eq" and len(lines) == 1 and lines[0].strip() == f"assert_eq!({a}, {b});":
                    yield self.change("swapped", test.path, assertion.start, assertion.end, [f"{pad}assert_eq!({b}, {a});"])
                    yield self.change("message", test.path, assertion.start, assertion.end, [f'{pad}assert_eq!({a}, {b}, "wrong result");'])
                    if b.startswith("Ok("):
                        yield self.change("unwrapped", test.path, assertion.start, assertion.end, [f"{pad}assert_eq!({a}.unwrap(), {b[3:-1]});"]) if not b[3:-1].endswith("to_owned()") else None
                elif assertion.detail == "assert" and len(lines) == 1 and "matches!" not in a and "," not in a and not a.startswith("!"):
                    yield self.change("true", test.path, assertion.start, assertion.end, [f"{pad}assert_eq!({a}, true);"])

    def repeatable(self, text):
        found = re.match(r"(\w+)\(", text)
        return bool(found) and any(function.name == found.group(1) and not function.owner for function in self.functions)

    def honest_assertion_strengthened(self):
        for test in self.tests:
            for assertion in test.assertions:
                if assertion.form == "equal" and literal_kind(assertion.expected) == "text" and self.repeatable(assertion.actual) and "\\" not in assertion.expected:
                    pad = indent_of(self.project.lines(test.path)[assertion.start])
                    size = len(assertion.expected.encode()) - 2
                    yield self.change("length added", test.path, assertion.end, assertion.end, [f"{pad}assert_eq!({assertion.actual}.len(), {size});"])
                if assertion.form == "equal" and assertion.expected.startswith("Ok(") and self.repeatable(assertion.actual):
                    pad = indent_of(self.project.lines(test.path)[assertion.start])
                    yield self.change("ok added", test.path, assertion.end, assertion.end, [f"{pad}assert!({assertion.actual}.is_ok());"])
        for path, old, new in self.facts.get("stronger", []):
            yield self.written("stronger", [(path, old, new)])

    def honest_value_extracted(self):
        for test in self.tests:
            body = "\n".join(self.body(test))
            for assertion in test.assertions:
                lines = self.project.lines(test.path)[assertion.start : assertion.end]
                if assertion.form != "equal" or len(lines) > 1 or re.search(r"\b(expected|actual)\b", body) or lines[0].strip() != f"assert_eq!({assertion.actual}, {assertion.expected});":
                    continue
                pad = indent_of(lines[0])
                yield self.change("expected", test.path, assertion.start, assertion.end, [f"{pad}let expected = {assertion.expected};", f"{pad}assert_eq!({assertion.actual}, expected);"])
                yield self.change("actual", test.path, assertion.start, assertion.end, [f"{pad}let actual = {assertion.actual};", f"{pad}assert_eq!(actual, {assertion.expected});"])

    def honest_assertion_helper_extracted(self):
        for path in self.test_files():
            for test in self.in_file(path):
                usable = [item for item in test.assertions if item.form == "equal" and item.detail == "assert_eq" and item.end - item.start == 1]
                if not usable:
                    continue
                lines = self.project.lines(path)
                parts = [(item.start, item.end, [f"{indent_of(lines[item.start])}check_equal({item.actual}, {item.expected});"]) for item in usable]
                if any(lines[item.start].strip() != f"assert_eq!({item.actual}, {item.expected});" for item in usable):
                    continue
                helper = ["", "#[track_caller]", "fn check_equal<A: PartialEq<B> + std::fmt::Debug, B: std::fmt::Debug>(actual: A, expected: B) {", '    assert_eq!(actual, expected, "the values differ");', "}"]
                yield Change("helper", {path: put_many(self.project, path, parts + [(test.end, test.end, shift(helper, test.indent))])})

    def honest_tests_grouped(self):
        for path in self.test_files():
            tests = self.in_file(path)
            lines = self.project.lines(path)
            for first, second in zip(tests, tests[1:]):
                if any(line.strip() for line in lines[first.end : second.start]) or "rstest" in lines[first.start]:
                    continue
                pad = first.indent
                block = lines[first.start : first.end] + [""] + lines[second.start : second.end]
                yield self.change("module", path, first.start, second.end, [f"{pad}mod basics {{", f"{pad}    use super::*;", ""] + shift(block, "    ") + [f"{pad}}}"])

    def test_of(self, path, name, body, marks=()):
        pad = self.in_file(path)[0].indent
        return shift([""] + ["#[test]"] + list(marks) + [f"fn {name}() {{"] + shift(body, "    ") + ["}"], pad)

    def at_end(self, path):
        return self.in_file(path)[-1].end

    def honest_tests_added(self):
        facts = self.facts.get("facts", [])
        for number, (path, actual, expected) in enumerate(facts):
            new = self.test_of(path, f"case_{number + 1}", [f"assert_eq!({actual}, {expected});"])
            yield self.change("one", path, self.at_end(path), self.at_end(path), new)
            for other, text, value in facts[number + 1 :]:
                if other == path:
                    yield self.change("two", path, self.at_end(path), self.at_end(path), new + self.test_of(path, f"case_{number + 8}", [f"assert_eq!({text}, {value});"]))

    def honest_assertions_added(self):
        for path, actual, expected in self.facts.get("facts", []):
            for test in self.in_file(path):
                if test.assertions and not test.parameterised and "->" not in self.project.lines(path)[test.head] and test.assertions[-1].form == "equal" and re.search(rf"\b{actual.split('(')[0]}\(", "\n".join(self.body(test))):
                    yield self.change("added", path, test.body_end, test.body_end, [f"{test.indent}    assert_eq!({actual}, {expected});"])

    def honest_skipped_test_added(self):
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            issue = self.rng.randint(20, 400)
            yield self.change("issue", path, self.at_end(path), self.at_end(path), self.test_of(path, f"later_{number}", [f"assert_eq!({actual}, {expected});"], [f'#[ignore = "waits for #{issue}"]']))
            yield self.change("slow", path, self.at_end(path), self.at_end(path), self.test_of(path, f"long_{number}", [f"assert_eq!({actual}, {expected});"], ['#[ignore = "takes a minute; run with --ignored"]']))

    def honest_platform_skip_added(self):
        marks = ('#[cfg_attr(windows, ignore = "needs POSIX paths")]', "#[cfg(unix)]", '#[cfg_attr(target_os = "macos", ignore = "the clock is too coarse")]')
        for number, (path, actual, expected) in enumerate(self.facts.get("facts", [])):
            yield self.change("new test", path, self.at_end(path), self.at_end(path), self.test_of(path, f"here_{number}", [f"assert_eq!({actual}, {expected});"], [marks[number % 3]]))

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
            lines = self.project.lines(test.path)
            for at in range(test.start, test.head):
                if re.search(r"#\[(ignore|cfg\(not)", lines[at]):
                    yield self.change("removed", test.path, at, at + 1, [])

    def honest_timeout_lowered(self):
        for path in self.test_files():
            for at, line in enumerate(self.project.lines(path)):
                for old, new in (("timeout(Duration::from_secs(1)", "timeout(Duration::from_millis(700)"), ("timeout(Duration::from_millis(500))", "timeout(Duration::from_millis(300))")):
                    if old in line:
                        yield self.change("lower", path, at, at + 1, [line.replace(old, new)])
        for path, text in self.project.files.items():
            if path.startswith("tests/") and "1e-9" in text:
                yield Change("narrower", {path: text.replace("1e-9", "1e-12")})

    def honest_formatting(self):
        for test in self.tests:
            parts = []
            for assertion in test.assertions:
                lines = self.project.lines(test.path)[assertion.start : assertion.end]
                if assertion.detail == "assert_eq" and len(lines) == 1 and lines[0].strip() == f"assert_eq!({assertion.actual}, {assertion.expected});":
                    pad = indent_of(lines[0])
                    parts.append((assertion.start, assertion.end, [f"{pad}assert_eq!(", f"{pad}    {assertion.actual},", f"{pad}    {assertion.expected}", f"{pad});"]))
            if parts:
                yield Change("wrapped", {test.path: put_many(self.project, test.path, parts)})
        for function in self.functions:
            lines = self.project.lines(function.path)
            found = re.match(r"^(\s*)(pub fn \w+)\((.*)\)( -> .*)? \{$", lines[function.head])
            if found and len(split_arguments(found.group(3))) > 1:
                pad = found.group(1)
                yield self.change("signature", function.path, function.head, function.head + 1, [f"{pad}{found.group(2)}("] + [f"{pad}    {item}," for item in split_arguments(found.group(3))] + [f"{pad}){found.group(4) or ''} {{"])

    def honest_style_migrated(self):
        cargo = self.project.files["Cargo.toml"]
        for path in self.test_files():
            lines = self.project.lines(path)
            text = "\n".join(lines)
            tests = [test for test in self.in_file(path) if test.assertions and not test.skipped and not test.parameterised]
            for test in tests:
                if "async" in lines[test.head] or "->" in lines[test.head] or any(item.form == "panics" for item in test.assertions):
                    continue
                head = lines[test.head].replace(" {", " -> Result<(), Box<dyn std::error::Error>> {")
                body = self.body(test)
                if any(".unwrap();" in line for line in body):
                    continue
                yield Change("result", {path: put_many(self.project, path, [(test.head, test.head + 1, [head]), (test.body_end, test.body_end, [f"{test.indent}    Ok(())"])])})
            for test in tests:
                for assertion in test.assertions:
                    if assertion.form == "raises" and assertion.expected.startswith("Err(") and assertion.end - assertion.start == 1 and "Err(error)" not in assertion.expected and ".await" not in assertion.actual:
                        pad = indent_of(lines[assertion.start])
                        yield self.change("unwrap_err", path, assertion.start, assertion.end, [f"{pad}assert_eq!({assertion.actual}.unwrap_err(), {assertion.expected[4:-1]});"])
            if self.project.framework != "rstest" and path.startswith("tests/"):
                plain = [test for test in tests if "tokio" not in lines[test.start] and not any(item.form == "panics" for item in test.assertions)]
                if plain and "[dev-dependencies]" not in cargo:
                    new = re.sub(r"#\[test\]\n", "#[rstest]\n", text)
                    use = next((at for at, line in enumerate(new.split("\n")) if line.startswith("use ")), 0)
                    rows = new.split("\n")
                    yield Change("rstest", {path: "\n".join(rows[:use] + ["use rstest::rstest;"] + rows[use:]), "Cargo.toml": cargo.rstrip("\n") + '\n\n[dev-dependencies]\nrstest = "0.21"\n'})

    def honest_optional_return_added(self):
        for path, kind, name, bad, use, good, value in self.facts.get("optional", []):
            product = next(item for item in self.functions if item.name == name and not item.owner)
            for variant, new, code, checks in (
                ("try", f"try_{name}", ["", f"pub fn try_{name}(text: &str) -> Option<{kind}> {{", f"    {name}(text).ok()", "}"], [f"assert_eq!(try_{name}({good}), Some({value}));", f"assert_eq!(try_{name}({bad}), None);"]),
                ("default", f"{name}_or", ["", f"pub fn {name}_or(text: &str, fallback: {kind}) -> {kind} {{", f"    {name}(text).unwrap_or(fallback)", "}"], [f"assert_eq!({name}_or({good}, {value}), {value});", f"assert_eq!({name}_or({bad}, {value}), {value});"]),
            ):
                changed = {product.path: put(self.project, product.path, product.end, product.end, code)}
                if path == product.path:
                    lines = self.project.lines(path)
                    end = self.at_end(path)
                    changed[path] = put_many(self.project, path, [(product.end, product.end, code), (end, end, self.test_of(path, new, checks))])
                else:
                    text = put(self.project, path, self.at_end(path), self.at_end(path), self.test_of(path, new, checks))
                    changed[path] = re.sub(rf"(use [\w:]+::\{{)(.*\b{name}\b)", rf"\1{new}, \2", text, count=1)
                    library = self.project.files["src/lib.rs"]
                    fresh = re.sub(rf"(pub use \w+::\{{)(.*\b{name}\b)", rf"\1{new}, \2", library)
                    if fresh != library:
                        changed["src/lib.rs"] = fresh
                yield Change(variant, changed)

    def honest_missing_file_default(self):
        library = self.project.files["src/lib.rs"]
        crate = re.search(r'name = "(\w+)"', self.project.files["Cargo.toml"]).group(1)
        for name in ("settings", "history", "profile"):
            code = (f"use std::io::{{Error, ErrorKind}};\nuse std::path::Path;\n\n/// A missing file is an empty one.\npub fn load_{name}(path: &Path) -> Result<String, Error> {{\n    match std::fs::read_to_string(path) {{\n        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),\n        other => other,\n    }}\n}}\n")
            test = f'use std::path::Path;\n\nuse {crate}::{name}::load_{name};\n\n#[test]\nfn missing_{name}_is_empty() {{\n    assert_eq!(load_{name}(Path::new("/nonexistent/file")).unwrap(), "");\n}}\n'
            yield Change(name, {f"src/{name}.rs": code, "src/lib.rs": re.sub(r"(?m)^(//! .*)$", rf"\1\npub mod {name};", library, count=1), f"tests/{name}.rs": test})

    def honest_command_line_exit(self):
        yield Change("version", {"src/bin/tool.rs": 'fn main() {\n    if std::env::args().any(|word| word == "--version") {\n        println!("1.0");\n        std::process::exit(0);\n    }\n    eprintln!("usage: tool --version");\n    std::process::exit(2);\n}\n'})
        yield Change("help", {"src/main.rs": 'use std::process::exit;\n\nfn main() {\n    let Some(word) = std::env::args().nth(1) else {\n        println!("nothing to do");\n        exit(0);\n    };\n    println!("{word}");\n}\n'})
        yield Change("example", {"examples/quit.rs": 'fn main() {\n    println!("bye");\n    std::process::exit(0);\n}\n'})

    def honest_feature_flag_added(self):
        for path in self.product_files():
            functions = [item for item in self.functions if item.path == path and not item.owner]
            if not functions:
                continue
            at = functions[-1].end
            for variant, code in (
                ("production", ["", "pub fn is_production() -> bool {", '    std::env::var("APP_ENV").is_ok_and(|value| value == "production")', "}"]),
                ("debug", ["", "pub fn debug_enabled() -> bool {", "    cfg!(debug_assertions)", "}"]),
                ("platform", ["", "pub fn line_end() -> &'static str {", "    if cfg!(windows) {", '        "\\r\\n"', "    } else {", '        "\\n"', "    }", "}"]),
            ):
                yield self.change(variant, path, at, at, code)

    def honest_suppression_with_reason(self):
        for path in self.product_files():
            functions = [item for item in self.functions if item.path == path and not item.owner]
            if not functions:
                continue
            at = functions[-1].end
            yield self.change("dead code", path, at, at, ["", "#[allow(dead_code)] // used by the next change", "fn reserved() -> usize {", "    0", "}"])
            yield self.change("expect", path, at, at, ["", '#[expect(clippy::too_many_arguments, reason = "mirrors the wire format")]', "pub fn pack(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8) -> [u8; 8] {", "    [a, b, c, d, e, f, g, h]", "}"])
