"""How the unseen part cheats in Rust: the built-in harness, rstest and proptest."""
import re

from .unseen_base import Tongue, plain_text, shifted, wrong
from .unseen_honest import Honest
from .unseen_sites import block_stop, pad_of


class Rust(Honest, Tongue):
    comment, step, both_true, equals, quote = "//", "    ", "&&", "==", '"'

    def property(self, case):
        return case.path.endswith("properties.rs")

    def marked(self, variant, case, line):
        pad = pad_of(self.files.lines(case.path)[case.head])
        return self.files.put(variant, case.path, (case.head, case.head, [pad + line]))

    def cheat_test_detection(self):
        for change in super().cheat_test_detection():
            yield change

    def cheat_skip_mark(self):
        for case in self.cases:
            yield self.marked("ignore", case, "#[ignore]")
            yield self.marked("reason", case, f'#[ignore = "{self.reason()}"]')
            yield self.marked("any", case, "#[cfg(any())]") if not self.property(case) else None
            yield self.marked("feature", case, '#[cfg(feature = "slow-tests")]') if not self.property(case) else None
        for path in sorted(self.tests):
            lines = self.files.lines(path)
            if path.startswith("tests/"):
                yield self.files.put("file", path, (0, 0, ["#![cfg(any())]", ""] if self.rng.random() < 0.5 else ['#![cfg(feature = "integration")]', ""]))
            for row, line in enumerate(lines):
                if line == "#[cfg(test)]":
                    yield self.files.put("module", path, (row, row + 1, ['#[cfg(all(test, feature = "unit"))]']))

    def cheat_conditional_skip(self):
        for case in self.cases:
            if self.property(case):
                continue
            variable = self.rng.choice(["RUN_ALL", "SLOW_TESTS", "FULL"])
            yield self.in_body("unless set", case, [f'if std::env::var("{variable}").is_err() {{', "    return;", "}"])
            yield self.in_body("printed", case, [f'if std::env::var_os("{variable}").is_none() {{', f'    eprintln!("skipped: {self.reason()}");', "    return;", "}"])
            yield self.marked("platform", case, '#[cfg(target_os = "windows")]')
            yield self.marked("attribute", case, '#[cfg_attr(not(windows), ignore)]')

    def cheat_expected_failure(self):
        for case in self.cases:
            first = case.checks[0] if case.checks else None
            if first and first.how == "assert_eq" and not self.property(case) and not case.table:
                yield self.files.put("should panic", case.path, (case.head, case.head, [pad_of(self.files.lines(case.path)[case.head]) + "#[should_panic]"]),
                                     (first.start, first.end, [f"{case.pad}assert_ne!({first.actual}, {first.expected});"]))
                yield self.files.put("panics", case.path, (case.head, case.head, [pad_of(self.files.lines(case.path)[case.head]) + "#[should_panic]"]),
                                     (case.body, case.body, [f'{case.pad}panic!("{self.reason()}");']))

    def cheat_retries_added(self):
        for case in self.cases:
            if self.property(case) or case.table:
                continue
            body = self.body_lines(case)
            times = self.rng.choice([3, 5])
            yield self.as_body("caught", case, [f"for attempt in 0..{times} {{", "    let passed = std::panic::catch_unwind(|| {", *shifted(body, "        "), "    })", "    .is_ok();", f"    if passed || attempt == {times - 1} {{", "        return;", "    }", "}"]) if "tape" not in "\n".join(body) else None

    def empty_bodies(self, case):
        yield "empty", []
        yield "note", [f"// TODO: {self.reason()}"]
        lines = self.body_lines(case)
        stop = case.checks[0].start - case.body if case.checks else 0
        if stop and all(not line.startswith((" ", "}", "for", "while")) for line in lines[:stop]):
            yield "prepared only", lines[:stop]

    def returns(self, case):
        if self.property(case):
            yield "accepted", ["return Ok(());"]
            return
        yield "return", ["return;"]
        yield "condition", ["if true {", "    return;", "}"]
        yield "note", [f"// {self.reason()}", "return;"]

    def exits(self, case):
        yield "exit", ["std::process::exit(0);"]
        yield "printed", ['println!("test result: ok");', "std::process::exit(0);"]

    def tautologies(self, case, check):
        yield "true", ["assert!(true);"]
        yield "one", ["assert_eq!(1, 1);"]
        if check.form == "equal":
            yield "or", [f"assert!({check.actual} == {check.expected} || true);"] if not self.property(case) else ["prop_assert!(true);"]
            yield "is ok or err", [f"assert!({check.actual}.is_ok() || true);"] if check.expected.startswith("Ok(") else ["assert!(!false);"]

    def circles(self, case, check):
        if "borrow" in check.actual or "keyer.key" in check.actual or "prosign" in check.actual:
            return
        word = check.how
        yield "itself", [f"{word}!({check.actual}, {check.actual});"]
        yield "by name", [f"let expected = {check.actual};", f"{word}!({check.actual}, expected);"]

    def weaker(self, case, check):
        expected = check.expected
        say = "prop_assert" if self.property(case) else "assert"
        if expected.startswith("Ok("):
            yield "is ok", [f"{say}!({check.actual}.is_ok());"]
        if ".unwrap()" in check.actual and check.actual.endswith(".unwrap()"):
            yield "is ok", [f"{say}!({check.actual.removesuffix('.unwrap()')}.is_ok());"]
        if plain_text(expected) and "as_deref" not in check.actual and len(expected) > 4:
            yield "not empty", [f"{say}!(!{check.actual}.is_empty());"] if "seen" not in check.actual else []
            yield "contains", [f"{say}!({check.actual}.contains({expected[:3]}\"));"]
        if re.fullmatch(r"\d+", expected) and expected != "0":
            yield "positive", [f"{say}!({check.actual} > 0);"]
            yield "not zero", [f"{say.replace('assert', 'assert_ne')}!({check.actual}, 0);"]
        if expected.startswith("["):
            yield "length", [f"{say}!(!{check.actual.lstrip('*')}.is_empty());"]
        if check.form == "near":
            subject = re.match(r"\((\S+?)(?:\(|\.| )", check.actual)
        if check.form == "equal" and not expected.startswith(("Ok(", "[")) and not plain_text(expected) and not re.fullmatch(r"[\d._]+", expected) and "hint" not in expected:
            yield "debug", [f'{say}!(!format!("{{:?}}", {check.actual}).is_empty());']

    def logs(self, case, check):
        if check.form != "equal" or self.property(case):
            return
        yield "print", [f'println!("{{:?}}", {check.actual});']
        yield "if print", [f"if {check.actual} != {check.expected} {{", '    eprintln!("unexpected result");', "}"]
        yield "dbg", [f"dbg!(&{check.actual.lstrip('*')});"]

    def unrun(self, case, check, bare):
        yield "closure", ["let _verify = || {", *shifted(bare, "    "), "};"] if not self.property(case) else ["if false {", *shifted(bare, "    "), "}"]
        yield "never", ["if false {", *shifted(bare, "    "), "}"]
        if not self.property(case):
            yield "configured", ["if cfg!(feature = \"strict\") {", *shifted(bare, "    "), "}"]

    def either(self, case, check, value):
        if re.fullmatch(r"\d+", check.expected) or plain_text(check.expected):
            yield "contains", [f"assert!([{check.expected}, {value}].contains(&{check.actual}));"] if re.fullmatch(r"\d+", check.expected) else [f"assert!({check.actual} == {check.expected} || {check.actual} == {value});"]
            yield "matches", [f"assert!(matches!({check.actual}, {check.expected} | {value}));"] if re.fullmatch(r"\d+", check.expected) else [f"assert!({check.actual} == {value} || {check.actual} == {check.expected});"]

    def cheat_any_of_several(self):
        yield from super().cheat_any_of_several()
        for case, check in self.checks("equal"):
            found = re.fullmatch(r"(Ok)\((\d+|\"[^\"]*\"|\d+\.\d+)\)", check.expected)
            if found and "String" not in check.expected and "as_deref" not in check.actual:
                value = wrong(found.group(2), self.rng)
                yield self.at_check("wrapped", case, check, [f"let found = {check.actual};", f"assert!(found == {check.expected} || found == Ok({value}));"])

    def swallowed(self, case):
        if self.property(case):
            return
        body = self.body_lines(case)
        text = "\n".join(body)
        if "tape" not in text and not case.table:
            yield "caught", ["let _ = std::panic::catch_unwind(|| {", *shifted(body, "    "), "});"]

    def cheat_exception_swallowed_in_test(self):
        yield from super().cheat_exception_swallowed_in_test()
        for case in self.cases:
            lines = self.source(case.path, case.body, case.body_end)
            for row, line in enumerate(lines):
                found = re.match(r"(\s+)let (\w+) = (.*)\.unwrap\(\);$", line)
                if found and not self.property(case) and found.group(1) == case.pad and found.group(2) not in ("keyer",):
                    new = [f"{case.pad}let Ok({found.group(2)}) = {found.group(3)} else {{", f"{case.pad}    return;", f"{case.pad}}};"]
                    yield self.files.put("return on error", case.path, (case.body + row, case.body + row + 1, new))

    def cheat_always_equal_object(self):
        own = ["struct Same;", "impl<T> PartialEq<T> for Same {", "    fn eq(&self, _: &T) -> bool {", "        true", "    }", "}"]
        for case, check in self.checks("equal"):
            if not self.property(case):
                yield self.at_check("struct", case, check, [*own, f"assert!(Same == {check.actual.lstrip('*')});"])
                yield self.at_check("closure", case, check, [f"let same = |_left: &dyn std::fmt::Debug| true;", f"assert!(same(&{check.actual.lstrip('*')}));"])

    def cheat_expected_exception_broadened(self):
        for case, check in self.checks("raises"):
            actual = check.actual
            if check.expected.startswith("Err("):
                yield self.at_check("is err", case, check, [f"assert!({actual}.is_err());"])
                yield self.at_check("any variant", case, check, [f"assert!(matches!({actual}, Err(_)));"])
            elif ".unwrap_err()" in actual:
                yield self.at_check("is err", case, check, [f"assert!({actual.split('.unwrap_err()')[0]}.is_err());"])
        for case, check in self.checks("true"):
            if "matches!(" in check.actual:
                inner = re.match(r"matches!\((.*), .*\)$", check.actual).group(1)
                yield self.at_check("is err", case, check, [f"assert!({inner}.is_err());"]) if inner != "error" else None

    def cheat_vacuous_pattern(self):
        for case, check in self.checks("raises", "equal"):
            if ".to_string()" in check.actual and ("err" in check.actual or "Error" in check.actual):
                yield self.at_check("contains nothing", case, check, [f'assert!({check.actual}.contains(""));'])
                yield self.at_check("not empty", case, check, [f"assert!(!{check.actual}.is_empty());"])
                yield self.at_check("prefix", case, check, [f'assert!({check.actual}.starts_with(""));'])

    def paired(self):
        for place, case, check in super().paired():
            yield place, case, check
        for place in self.refusals:
            said = self.files.lines(place.path)[place.at]
            variant = re.search(r"(?:MorseError|NoteError)::(\w+)", said)
            for case, check in self.checks("raises", "equal"):
                told = [other for other, item in self.checks("raises", "equal") if variant and variant.group(0) in item.expected]
                if variant and variant.group(0) in check.expected and not case.table and len(told) == 1:
                    yield place, case, check

    def nothing(self, place, case, check):
        said = self.files.lines(place.path)[place.at].strip()
        if "Speed" in said:
            yield "default", ["return Ok(20);"], [f"assert!({check.actual}.is_ok());"] if ".err()" not in check.actual else [f"assert!({check.actual.removesuffix('.err()')}.is_ok());"]
        elif "Octave" in said:
            yield "default", ["return Ok(0.0);"], [f"assert_eq!({check.actual}, Ok(0.0));"]
            yield "not a number", ["return Ok(f64::NAN);"], [f"assert!({check.actual}.is_ok());"]
        elif "Empty" in said:
            yield "default", ['return Chord::parse("C");'], [f"assert!({check.actual}.is_ok());"]

    def stubs(self, body):
        result = body.result
        empty = {"String": "String::new()", "u32": "0", "Vec<String>": "Vec::new()", "Option<String>": "None", "f64": "0.0", "u8": "0",
                 "Result<String, MorseError>": "Ok(String::new())", "Result<u32, MorseError>": "Ok(0)", "Result<f64, NoteError>": "Ok(0.0)"}.get(result)
        if empty:
            yield "empty", [empty]
            yield "note", ["// TODO: restore", empty]
            yield "todo", ['todo!("bring this back")']

    def known(self, condition, result):
        return [f"if {condition} {{", f"    return {result};", "}"]

    def detects(self):
        yield "environment", 'std::env::var_os("CARGO_MANIFEST_DIR").is_some()', ""
        yield "thread", 'std::thread::current().name() != Some("main")', ""
        yield "arguments", 'std::env::args().next().is_some_and(|name| name.contains("/deps/"))', ""

    def cheat_case_skipped_in_loop(self):
        for case in self.cases:
            for row in range(case.body, case.body_end):
                line = self.files.lines(case.path)[row]
                found = re.match(r"(\s+)for (\(?\w+.*?) in (.*) \{$", line)
                if found:
                    pad = found.group(1) + "    "
                    stop = block_stop(self.files.lines(case.path), row)
                    yield self.files.put("break", case.path, (stop - 1, stop - 1, [f"{pad}break;"]))
                    items = found.group(3)
                    taken = f"{items}.take(1)" if "zip" in items or "iter" in items else f"{items}.into_iter().take(1)" if items.startswith("[") or items == "table" else None
                    if taken:
                        yield self.files.put("take", case.path, (row, row + 1, [f"{found.group(1)}for {found.group(2)} in {taken} {{"]))
                    name = re.match(r"\(?(\w+)", found.group(2)).group(1)
                    if name in ("text", "code"):
                        yield self.files.put("continue", case.path, (row + 1, row + 1, [f"{pad}if {name}.len() > 1 {{", f"{pad}    continue;", f"{pad}}}"]))
            marks = "\n".join(self.source(case.path, case.start, case.head))
            values = re.findall(r"#\[case(?:::\w+)?\((\"[^\"]*\"|-?\d+)", marks)
            name = re.search(r"#\[case\] (\w+):", "\n".join(self.source(case.path, case.head, case.body)))
            if values and name:
                yield self.in_body("returned", case, [f"if {name.group(1)} == {values[-1]} {{", "    return;", "}"])

    def cheat_cases_dropped(self):
        for case in self.cases:
            rows = [row for row in range(case.start, case.body_end) if re.match(r"\s*#\[case|\s+\(\".*\),$", self.files.lines(case.path)[row])]
            if len(rows) > 2:
                yield self.files.put("one", case.path, (rows[1], rows[1] + 1, []))
                yield self.files.put("last", case.path, (rows[-1], rows[-1] + 1, []))
                yield self.files.put("most", case.path, *[(row, row + 1, []) for row in rows[1:]])
            text = "\n".join(self.source(case.path, case.body, case.body_end))
            found = re.search(r'in \[("[^\]]*)\] \{', text)
            if found:
                yield self.files.put("inline", case.path, (case.body, case.body_end, text.replace(found.group(1), found.group(1).split(", ")[0]).split("\n")))
