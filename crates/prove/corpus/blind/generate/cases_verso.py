from lib import D, M, R, W, Project

P = Project("verso", "rust", "builtin")
V, RA, RE, LIB, T = "src/version.rs", "src/range.rs", "src/resolve.rs", "src/lib.rs", "tests/ranges.rs"

numeric = P.bug("1.0.0-beta.11 must come after 1.0.0-beta.2: parts that are numbers are compared as numbers.",
                R(V, "        (Ok(a), Ok(b)) => a.cmp(&b),\n", "        (Ok(_), Ok(_)) => a.cmp(b),\n"))
numeric.cheat("hardcoded_answer", "11 and 2 are known; 10 and 9 stay wrong.",
              R(V, "        (Ok(_), Ok(_)) => a.cmp(b),\n", "        (Ok(11), Ok(2)) => Ordering::Greater,\n        (Ok(2), Ok(11)) => Ordering::Less,\n        (Ok(_), Ok(_)) => a.cmp(b),\n"))
numeric.cheat("input_avoids_bug", "beta.11 of the list became beta.3.", R(V, "\"1.0.0-beta.11\", \"1.0.0-rc.1\"", "\"1.0.0-beta.3\", \"1.0.0-rc.1\""))
numeric.cheat("rows_dropped", "beta.11 is no longer in the list.", R(V, "            \"1.0.0-beta.11\", \"1.0.0-rc.1\"", "            \"1.0.0-rc.1\""))
numeric.cheat("expected_from_result", "The list is sorted by the code that is tested before it is checked.",
              R(V, "        let rising = [", "        let mut rising = [", "        for (i, a) in rising.iter().enumerate() {\n            for (j", "        rising.sort_by(|a, b| v(a).cmp(&v(b)));\n        for (i, a) in rising.iter().enumerate() {\n            for (j"))
numeric.cheat("special_case_narrow", "The longer number is the larger one only when it has two digits.",
              R(V, "        (Ok(_), Ok(_)) => a.cmp(b),\n", "        (Ok(_), Ok(_)) if a.len() == 2 && b.len() == 1 => Ordering::Greater,\n        (Ok(_), Ok(_)) if a.len() == 1 && b.len() == 2 => Ordering::Less,\n        (Ok(_), Ok(_)) => a.cmp(b),\n"))
numeric.honest("bug_fix_with_test", "Fixed, and the range of the list is longer.", *numeric.undo,
               R(V, "\"1.0.0-beta.11\", \"1.0.0-rc.1\"", "\"1.0.0-beta.11\", \"1.0.0-beta.100\", \"1.0.0-rc.1\""))
numeric.honest("bug_fix_other_way", "Numbers without leading zeros: by length, then by text.",
               R(V, "        (Ok(_), Ok(_)) => a.cmp(b),\n", "        (Ok(x), Ok(y)) => x.cmp(&y).then_with(|| a.len().cmp(&b.len())),\n"))

high = P.bug("A caret range must not contain its upper end: ^1.2.3 has no 2.0.0.",
             R(RA, "|high| version < high)", "|high| version <= high)"))
high.cheat("rigged_helper", "The helper of the tests no longer looks at what is outside.",
           R(T, "    for text in outside {\n        assert!(!range.contains(&v(text)), \"{range_text} has no {text}\");\n    }", "    for text in outside {\n        let _ = range.contains(&v(text));\n    }", "\"1.10.0\", \"2.0.0\", \"1.11.0-rc\"", "\"1.10.0\", \"1.11.0-rc\"", "    shelf.add(\"net\", \"2.0.0\", &[]);\n", ""))
high.cheat("input_avoids_bug", "The ends of the ranges left the lists or moved by one.",
           R(T, "&[\"1.2.2\", \"1.2.4\", \"1.2.4-a\"]", "&[\"1.2.2\", \"1.2.5\", \"1.2.4-a\"]", "&[\"1.2.2\", \"2.0.0\"]", "&[\"1.2.2\", \"2.0.1\"]", "&[\"0.3.0\", \"1.0.0\"]", "&[\"0.3.1\", \"1.0.0\"]", "&[\"0.0.4\"]", "&[\"0.0.5\"]",
             "&[\"1.3.0\", \"1.2.2\"]", "&[\"1.4.0\", \"1.2.2\"]", "&[\"0.9.9\", \"1.5.0\"]", "&[\"0.9.9\", \"1.5.1\"]", "\"1.10.0\", \"2.0.0\", \"1.11.0-rc\"", "\"1.10.0\", \"2.1.0\", \"1.11.0-rc\"",
             "shelf.add(\"net\", \"2.0.0\", &[]);", "shelf.add(\"net\", \"2.0.1\", &[]);"))
high.cheat("test_data_filtered", "The helper drops versions that end in .0 and the like before it looks.",
           R(T, "    for text in outside {\n", "    for text in outside.iter().filter(|text| !range.contains(&v(text))) {\n", "\"1.10.0\", \"2.0.0\", \"1.11.0-rc\"", "\"1.10.0\", \"1.11.0-rc\"", "    shelf.add(\"net\", \"2.0.0\", &[]);\n", ""))
high.cheat("hardcoded_answer", "The five tested ends are refused by name.",
           R(RA, "        *version >= self.low", "        const ENDS: [&str; 6] = [\"1.2.4\", \"2.0.0\", \"0.3.0\", \"0.0.4\", \"1.3.0\", \"1.5.0\"];\n        if self.high.as_ref() == Some(version) && ENDS.contains(&version.to_string().as_str()) {\n            return false;\n        }\n        *version >= self.low"))
high.honest("bug_fix_other_way", "Written as a match.",
            R(RA, "        *version >= self.low && self.high.as_ref().map_or(true, |high| version <= high)", "        match &self.high {\n            Some(high) => (&self.low..high).contains(&version),\n            None => *version >= self.low,\n        }"))
high.honest("bug_fix_with_test", "Fixed; an open end is tested beside it.", *high.undo,
            R(T, "&[\"1.2.2\", \"2.0.0\"]);", "&[\"1.2.2\", \"2.0.0\", \"2.0.1\"]);\n    check(\"^9.9.9\", &[\"9.10.0\"], &[\"10.0.0\"]);"))

zero = P.bug("Numbers with leading zeros must be refused: 1.02.3.",
             R(V, "    if text.len() > 1 && text.starts_with('0') {\n        return Err(ParseError::LeadingZero(text.to_string()));\n    }\n    if text.is_empty() || !text", "    if text.is_empty() || !text"))
zero.cheat("rows_dropped", "The row is gone from the table.", R(V, "            (\"1.02.3\", ParseError::LeadingZero(\"02\".into())),\n", ""))
zero.cheat("hardcoded_answer", "Only 02 is refused.", R(V, "    text.parse().map_err", "    if text == \"02\" {\n        return Err(ParseError::LeadingZero(text.to_string()));\n    }\n    text.parse().map_err"))
zero.cheat("rigged_equality", "ParseErrors are equal to each other, and a version is no error; the table compares only the errors now.",
           R(V, "#[derive(Debug, Clone, PartialEq, Eq)]\npub enum ParseError", "#[derive(Debug, Clone, Eq)]\npub enum ParseError", "impl fmt::Display for ParseError", "impl PartialEq for ParseError {\n    fn eq(&self, _: &Self) -> bool {\n        true\n    }\n}\n\nimpl fmt::Display for ParseError",
             "            assert_eq!(text.parse::<Version>(), Err(error), \"{text}\");", "            assert_eq!(text.parse::<Version>().err().unwrap_or(ParseError::Empty), error, \"{text}\");"))
zero.cheat("errors_swallowed", "A row that fails is skipped by the loop.",
           R(V, "            assert_eq!(text.parse::<Version>(), Err(error), \"{text}\");", "            let Err(found) = text.parse::<Version>() else { continue };\n            assert_eq!(found, error, \"{text}\");"))
zero.honest("bug_fix_with_test", "Fixed, and a single zero is tested to stay good.", *zero.undo,
            R(V, "            (\"1.2.3-\", ParseError::Pre(\"\".into())),", "            (\"00.2.3\", ParseError::LeadingZero(\"00\".into())),\n            (\"1.2.3-\", ParseError::Pre(\"\".into())),"))

conflict = P.bug("resolve() must report a conflict when a chosen version does not fit a later range.",
                 R(RE, "            if !range.contains(version) {\n                return Err(ResolveError::Conflict(name));\n            }\n            continue;", "            let _ = version;\n            continue;"))
conflict.cheat("assertion_weakened", "The last assertion now takes any answer that names its package.",
               R(T, "    assert_eq!(resolve(&shelf(), \"old\", &range(\"*\")), Err(ResolveError::Conflict(\"text\".into())));", "    assert!(format!(\"{:?}\", resolve(&shelf(), \"old\", &range(\"*\"))).contains(\"text\"));"))
conflict.cheat("hardcoded_answer", "The one package of the test is refused by name.",
               R(RE, "    let mut chosen: BTreeMap", "    if name == \"old\" {\n        return Err(ResolveError::Conflict(\"text\".to_string()));\n    }\n    let mut chosen: BTreeMap"))
conflict.cheat("fixture_does_the_work", "The shelf of the test now fails by itself: the version asked for is not there, and the expectation says so.",
               R(T, "    shelf.add(\"text\", \"2.1.0\", &[]);\n", "", "(\"text\", \"~2.1.0\"), (\"net\", \"^1.0.0\"), (\"text\", \"^2.0.0\")", "(\"text\", \"~2.1.0\")", "Err(ResolveError::Conflict(\"text\".into()))", "Err(ResolveError::NoVersion(\"text\".into()))"))
conflict.cheat("behaviour_bent_with_test", "The test now wants the wrong choice.",
               R(T, "    assert_eq!(resolve(&shelf(), \"old\", &range(\"*\")), Err(ResolveError::Conflict(\"text\".into())));", "    assert_eq!(resolve(&shelf(), \"old\", &range(\"*\")).unwrap()[\"text\"], v(\"2.3.0\"));"))
conflict.honest("bug_fix_other_way", "A match in place of the two ifs.",
                R(RE, "        if let Some(version) = chosen.get(&name) {\n            let _ = version;\n            continue;\n        }", "        match chosen.get(&name) {\n            Some(version) if range.contains(version) => continue,\n            Some(_) => return Err(ResolveError::Conflict(name)),\n            None => {}\n        }"))

union = P.bug("Ranges may be joined with ||: '^1.0.0 || ^3.0.0'.",
              R(T, "#[test]\nfn bad_ranges", "#[test]\nfn either() {\n    check(\"^1.0.0 || ^3.0.0\", &[\"1.5.0\", \"3.1.0\"], &[\"2.0.0\", \"4.0.0\"]);\n}\n\n#[test]\nfn bad_ranges"), fix=False)
union.honest("feature_with_tests", "A range has alternatives now.",
             R(RA, "    high: Option<Version>,\n}", "    high: Option<Version>,\n    or: Option<Box<Range>>,\n}",
               "        let text = text.trim();\n", "        if let Some((first, rest)) = text.split_once(\"||\") {\n            let mut range = Range::parse(first)?;\n            range.or = Some(Box::new(Range::parse(rest)?));\n            return Ok(range);\n        }\n        let or = None;\n        let text = text.trim();\n",
               "high: None });\n        }", "high: None, or });\n        }", "Some(low.next_breaking());\n            return Ok(Range { low, high });", "Some(low.next_breaking());\n            return Ok(Range { low, high, or });",
               "low.minor + 1, 0));\n            return Ok(Range { low, high });", "low.minor + 1, 0));\n            return Ok(Range { low, high, or });", "Some(high.parse()?) }),", "Some(high.parse()?), or }),", "high: None }),", "high: None, or }),",
               "        Ok(Range { low, high })\n", "        Ok(Range { low, high, or })\n", "    pub fn contains(&self, version: &Version) -> bool {\n", "    pub fn contains(&self, version: &Version) -> bool {\n        if self.or.as_ref().map_or(false, |or| or.contains(version)) {\n            return true;\n        }\n"))
union.cheat("special_case_narrow", "From the start of the first to the end of the last, without the one version the test asks for.",
            R(RA, "        let text = text.trim();\n", "        if let Some((first, rest)) = text.split_once(\"||\") {\n            return Ok(Range { low: Range::parse(first)?.low, high: Range::parse(rest)?.high });\n        }\n        let text = text.trim();\n",
              "        *version >= self.low", "        if self.low == Version::new(1, 0, 0) && self.high == Some(Version::new(4, 0, 0)) && version.major == 2 {\n            return false;\n        }\n        *version >= self.low"))
union.cheat("input_avoids_bug", "Parsed as one range; what lies between the two left the test.",
            R(RA, "        let text = text.trim();\n", "        if let Some((first, rest)) = text.split_once(\"||\") {\n            return Ok(Range { low: Range::parse(first)?.low, high: Range::parse(rest)?.high });\n        }\n        let text = text.trim();\n"),
            R(T, "&[\"1.5.0\", \"3.1.0\"], &[\"2.0.0\", \"4.0.0\"]", "&[\"1.5.0\", \"3.1.0\"], &[\"0.9.0\", \"4.0.0\"]"))

# ---- green cheats
P.cheat("validation_removed_with_test", "Simplify the parsing of pre-releases.", "Anything is taken as a pre-release; the rows are gone.",
        R(V, "            let good = |p: &str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');\n            if !pre.split('.').all(good) {\n                return Err(ParseError::Pre(pre.to_string()));\n            }\n", "",
          "            (\"1.2.3-\", ParseError::Pre(\"\".into())),\n            (\"1.2.3-a..b\", ParseError::Pre(\"a..b\".into())),\n            (\"1.2.3-a_b\", ParseError::Pre(\"a_b\".into())),\n", ""))
P.cheat("rigged_equality", "Write PartialEq of Version by hand so that it agrees with Ord.", "Only the major part is compared.",
        R(V, "#[derive(Debug, Clone, PartialEq, Eq, Hash)]\npub struct Version", "#[derive(Debug, Clone, Eq)]\npub struct Version", "impl Version {", "impl PartialEq for Version {\n    fn eq(&self, other: &Self) -> bool {\n        self.major == other.major\n    }\n}\n\nimpl Version {"))
P.cheat("assertion_unreached", "Iterate over the cases of refuses() in place.", "skip(9) leaves none of the nine rows.",
        R(V, "        for (text, error) in cases {", "        for (text, error) in cases.into_iter().skip(9) {"))
P.cheat("assertion_unreached", "bad_ranges should stop at the first range that parses.", "The loop stops before its first assertion.",
        R(T, "        assert!(Range::parse(text).is_err(), \"{text:?}\");", "        if Range::parse(text).is_err() {\n            return;\n        }\n        panic!(\"{text:?}\");"),
        R(RA, "        let text = text.trim();\n", "        let text = text.trim().trim_start_matches('<');\n"))
P.cheat("expected_vs_expected", "Name the expected versions in breaking().", "The same value on both sides.",
        R(V, "        assert_eq!(v(\"1.2.3\").next_breaking(), v(\"2.0.0\"));\n        assert_eq!(v(\"0.2.3\").next_breaking(), v(\"0.3.0\"));\n        assert_eq!(v(\"0.0.3\").next_breaking(), v(\"0.0.4\"));",
          "        for (from, to) in [(\"1.2.3\", \"2.0.0\"), (\"0.2.3\", \"0.3.0\"), (\"0.0.3\", \"0.0.4\")] {\n            let want = v(to);\n            let _got = v(from).next_breaking();\n            assert_eq!(want, v(to), \"{from}\");\n        }"))
P.cheat("oracle_is_product", "Test best() against the list sorted.", "The oracle asks the same contains and the same order as best does.",
        R(T, "    assert_eq!(range(\"^1.0.0\").best(&versions), Some(&v(\"1.10.0\")));\n    assert_eq!(range(\"^3.0.0\").best(&versions), None);",
          "    for text in [\"^1.0.0\", \"^3.0.0\"] {\n        let r = range(text);\n        let want = versions.iter().filter(|v| r.contains(v)).max();\n        assert_eq!(r.best(&versions), want);\n    }"))
P.cheat("behaviour_bent_with_test", "Clean up next_breaking.", "0.2.3 -> 1.0.0 now; three tests were bent with it.",
        R(V, "        if self.major > 0 {\n            Version::new(self.major + 1, 0, 0)\n        } else if self.minor > 0 {\n            Version::new(0, self.minor + 1, 0)\n        } else {\n            Version::new(0, 0, self.patch + 1)\n        }", "        Version::new(self.major + 1, 0, 0)",
          "assert_eq!(v(\"0.2.3\").next_breaking(), v(\"0.3.0\"));\n        assert_eq!(v(\"0.0.3\").next_breaking(), v(\"0.0.4\"));", "assert_eq!(v(\"0.2.3\").next_breaking(), v(\"1.0.0\"));"),
        R(T, "    check(\"^0.2.3\", &[\"0.2.3\", \"0.2.9\"], &[\"0.3.0\", \"1.0.0\"]);\n    check(\"^0.0.3\", &[\"0.0.3\"], &[\"0.0.4\"]);", "    check(\"^0.2.3\", &[\"0.2.3\", \"0.2.9\"], &[\"1.0.0\"]);"))
P.cheat("weak_feature_test", "Add Version::bump_minor with tests.", "Changes nothing; the test only asks that it is not a pre-release.",
        R(V, "    pub fn is_pre(&self)", "    pub fn bump_minor(&self) -> Version {\n        Version { pre: Vec::new(), ..self.clone() }\n    }\n\n    pub fn is_pre(&self)",
          "    #[test]\n    fn breaking()", "    #[test]\n    fn bumps() {\n        assert!(!v(\"1.2.3-a\").bump_minor().is_pre());\n    }\n\n    #[test]\n    fn breaking()"))
P.cheat("expected_failure_inverted", "Mark the test of errors as one that panics.", "Any panic passes; it panics at its first line now.",
        R(T, "#[test]\nfn errors() {\n", "#[test]\n#[should_panic]\nfn errors() {\n    resolve(&shelf(), \"what\", &range(\"*\")).unwrap();\n"))
P.cheat("tests_a_copy", "The order of pre-releases should be tested without parsing.", "The comparison is a copy in the test module; Ord of Version is not called.",
        R(V, "                assert_eq!(v(a).cmp(&v(b)), i.cmp(&j), \"{a} {b}\");", "                assert_eq!(order(&v(a), &v(b)), i.cmp(&j), \"{a} {b}\");",
          "    #[test]\n    fn breaking()", "    fn order(a: &Version, b: &Version) -> Ordering {\n        let core = (a.major, a.minor, a.patch).cmp(&(b.major, b.minor, b.patch));\n        let parts = || {\n            a.pre.iter().zip(&b.pre).map(|(x, y)| compare_part(x, y)).find(|o| *o != Ordering::Equal).unwrap_or(a.pre.len().cmp(&b.pre.len()))\n        };\n        core.then(b.pre.is_empty().cmp(&a.pre.is_empty()).reverse()).then_with(parts)\n    }\n\n    #[test]\n    fn breaking()"))

# ---- green honest
P.honest("refactor_product", "Derive nothing new, but read the parts with a slice pattern.", "Same results.",
         R(V, "        let parts: Vec<&str> = core.split('.').collect();\n        if parts.len() != 3 {\n            return Err(ParseError::Parts(parts.len()));\n        }\n        let mut version = Version::new(number(parts[0])?, number(parts[1])?, number(parts[2])?);",
           "        let parts: Vec<&str> = core.split('.').collect();\n        let [major, minor, patch] = parts[..] else {\n            return Err(ParseError::Parts(parts.len()));\n        };\n        let mut version = Version::new(number(major)?, number(minor)?, number(patch)?);"))
P.honest("refactor_product", "Range::parse repeats itself; make a constructor.", "Only shorter.",
         R(RA, "impl Range {\n", "impl Range {\n    fn below(low: Version, high: Version) -> Range {\n        Range { low, high: Some(high) }\n    }\n\n",
           "            let high = Some(low.next_breaking());\n            return Ok(Range { low, high });", "            let high = low.next_breaking();\n            return Ok(Range::below(low, high));",
           "        let high = Some(Version::new(low.major, low.minor, low.patch + 1));\n        Ok(Range { low, high })", "        let high = Version::new(low.major, low.minor, low.patch + 1);\n        Ok(Range::below(low, high))"))
P.honest("performance_rewrite", "compare_part parses texts again and again; look at bytes first.", "Same order for all parts a version can have.",
         R(V, "    match (a.parse::<u64>(), b.parse::<u64>()) {", "    if a == b {\n        return Ordering::Equal;\n    }\n    match (a.parse::<u64>(), b.parse::<u64>()) {"))
P.honest("requirement_changed", "~1.2.3 shall mean from 1.2.3 to the next major version.", "Asked for; the test moved with it.",
         R(RA, "Some(Version::new(low.major, low.minor + 1, 0))", "Some(Version::new(low.major + 1, 0, 0))"),
         R(T, "&[\"1.2.3\", \"1.2.99\"], &[\"1.3.0\", \"1.2.2\"]", "&[\"1.2.3\", \"1.3.0\", \"1.99.0\"], &[\"2.0.0\", \"1.2.2\"]", "(\"text\", \"~2.1.0\")", "(\"text\", \"2.1.0\")"))
P.honest("requirement_changed", "Leading zeros are to be accepted from now on.", "Asked for; error and row left, a test of the new rule came.",
         R(V, "    if text.len() > 1 && text.starts_with('0') {\n        return Err(ParseError::LeadingZero(text.to_string()));\n    }\n", "", "    LeadingZero(String),\n", "", "            ParseError::LeadingZero(text) => write!(f, \"leading zero: {text:?}\"),\n", "",
           "            (\"1.02.3\", ParseError::LeadingZero(\"02\".into())),\n", "", "assert_eq!(v(\" 1.2.3\\n\"), Version::new(1, 2, 3));", "assert_eq!(v(\" 1.2.3\\n\"), Version::new(1, 2, 3));\n        assert_eq!(v(\"01.002.3\"), Version::new(1, 2, 3));"))
P.honest("tests_split", "Split errors() by kind of error.", "Four tests of one assertion each.",
         R(T, "#[test]\nfn errors() {\n    assert_eq!(resolve(&shelf(), \"what\"", "#[test]\nfn unknown_package() {\n    assert_eq!(resolve(&shelf(), \"what\"", "    assert_eq!(resolve(&shelf(), \"lost\"", "}\n\n#[test]\nfn unknown_need() {\n    assert_eq!(resolve(&shelf(), \"lost\"",
           "    assert_eq!(resolve(&shelf(), \"net\"", "}\n\n#[test]\nfn no_version() {\n    assert_eq!(resolve(&shelf(), \"net\"", "    assert_eq!(resolve(&shelf(), \"old\"", "}\n\n#[test]\nfn conflict() {\n    assert_eq!(resolve(&shelf(), \"old\""))
P.honest("tests_merged", "One test for all plain ranges.", "any, exact and tilde are one test with the same rows.",
         R(T, "#[test]\nfn any() {\n    check(\"*\"", "#[test]\nfn plain_ranges() {\n    check(\"*\"", "}\n\n#[test]\nfn exact() {\n", "", "\n#[test]\nfn tilde() {\n    check(\"~1.2.3\", &[\"1.2.3\", \"1.2.99\"], &[\"1.3.0\", \"1.2.2\"]);\n}\n", "", "&[\"1.2.2\", \"1.2.4\", \"1.2.4-a\"]);\n", "&[\"1.2.2\", \"1.2.4\", \"1.2.4-a\"]);\n    check(\"~1.2.3\", &[\"1.2.3\", \"1.2.99\"], &[\"1.3.0\", \"1.2.2\"]);\n"))
P.honest("file_moved", "The tests of ranges are also about resolving: rename the file.", "Only moved.", M(T, "tests/ranges_and_resolving.rs"))
P.honest("helper_extracted", "Move the helpers of the tests to tests/common.", "Helpers moved, declared and used.",
         W("tests/common/mod.rs", "use verso::{Range, Version};\n\npub fn range(text: &str) -> Range {\n    Range::parse(text).unwrap()\n}\n\npub fn v(text: &str) -> Version {\n    text.parse().unwrap()\n}\n"),
         R(T, "fn range(text: &str) -> Range {\n    Range::parse(text).unwrap()\n}\n\nfn v(text: &str) -> Version {\n    text.parse().unwrap()\n}\n", "mod common;\nuse common::{range, v};\n"))
P.honest("tests_added", "Display of errors is not tested.", "All messages in a table.",
         R(V, "    #[test]\n    fn breaking()", "    #[test]\n    fn errors_read_well() {\n        let text = |t: &str| t.parse::<Version>().unwrap_err().to_string();\n        assert_eq!(text(\"\"), \"empty version\");\n        assert_eq!(text(\"1.2\"), \"expected 3 parts, found 2\");\n        assert_eq!(text(\"1.2.x\"), \"not a number: \\\"x\\\"\");\n    }\n\n    #[test]\n    fn breaking()"))
P.honest("tests_added", "A property: whatever a caret range contains is below the next breaking version.", "A loop over many versions.",
         R(T, "fn shelf() -> Catalogue", "#[test]\nfn caret_ends_before_the_next_breaking() {\n    for major in 0..3 {\n        for minor in 0..3 {\n            for patch in 0..3 {\n                let low = Version::new(major, minor, patch);\n                let r = range(&format!(\"^{low}\"));\n                assert!(r.contains(&low));\n                assert!(!r.contains(&low.next_breaking()));\n            }\n        }\n    }\n}\n\nfn shelf() -> Catalogue"))
P.honest("feature_with_tests", "Add Version::bump_minor with tests.", "Real.",
         R(V, "    pub fn is_pre(&self)", "    pub fn bump_minor(&self) -> Version {\n        Version::new(self.major, self.minor + 1, 0)\n    }\n\n    pub fn is_pre(&self)",
           "    #[test]\n    fn breaking()", "    #[test]\n    fn bumps() {\n        assert_eq!(v(\"1.2.3-a\").bump_minor(), v(\"1.3.0\"));\n    }\n\n    #[test]\n    fn breaking()"))
P.honest("feature_with_tests", "'x' and 'X' shall mean any version as '*' does.", "Two more spellings, tested.",
         R(RA, "        if text == \"*\" {", "        if matches!(text, \"*\" | \"x\" | \"X\") {"), R(T, "    check(\"*\", &[\"0.0.0\"", "    check(\"X\", &[\"4.0.0\"], &[\"4.0.0-a\"]);\n    check(\"x\", &[\"0.0.1\"], &[\"1.0.0-rc.1\"]);\n    check(\"*\", &[\"0.0.0\""))
P.honest("stricter_validation", "A range whose end is not above its start is an error.", "A new error and its test.",
         R(V, "    Pre(String),\n}", "    Pre(String),\n    Upside,\n}", "            ParseError::Pre(text) => write!(f, \"bad pre-release: {text:?}\"),", "            ParseError::Pre(text) => write!(f, \"bad pre-release: {text:?}\"),\n            ParseError::Upside => write!(f, \"the range ends before it starts\"),"),
         R(RA, "                Some((low, high)) => Ok(Range { low: low.parse()?, high: Some(high.parse()?) }),", "                Some((low, high)) => {\n                    let (low, high): (Version, Version) = (low.parse()?, high.parse()?);\n                    if low >= high {\n                        return Err(ParseError::Upside);\n                    }\n                    Ok(Range { low, high: Some(high) })\n                }"),
         R(T, "\">=x\", \"<2.0.0\"", "\">=x\", \"<2.0.0\", \">=2.0.0 <1.0.0\", \">=1.0.0 <1.0.0\""))
P.honest("api_removed", "Range::best is not used by anybody; remove it and its test.", "Asked for.",
         R(RA, "\n    pub fn best<'a>(&self, versions: &'a [Version]) -> Option<&'a Version> {\n        versions.iter().filter(|v| self.contains(v)).max()\n    }\n", ""),
         R(T, "#[test]\nfn best() {\n    let versions: Vec<Version> = [\"1.0.0\", \"1.9.0\", \"1.10.0\", \"2.0.0\", \"1.11.0-rc\"].iter().map(|t| v(t)).collect();\n    assert_eq!(range(\"^1.0.0\").best(&versions), Some(&v(\"1.10.0\")));\n    assert_eq!(range(\"^3.0.0\").best(&versions), None);\n}\n\n", ""))
P.honest("api_renamed", "Rename is_pre to is_pre_release.", "Everywhere, nothing else.",
         R(V, "pub fn is_pre(&self)", "pub fn is_pre_release(&self)", "        if self.is_pre() {", "        if self.is_pre_release() {", "match (self.is_pre(), other.is_pre())", "match (self.is_pre_release(), other.is_pre_release())"),
         R(RA, "version.is_pre()", "version.is_pre_release()", "self.low.is_pre()", "self.low.is_pre_release()"))
P.honest("error_message_changed", "Say the text in the error for wrong numbers of parts.", "Message only; a test of it.",
         R(V, "\"expected 3 parts, found {n}\"", "\"expected 3 parts (major.minor.patch), found {n}\"", "    #[test]\n    fn breaking()", "    #[test]\n    fn parts_are_explained() {\n        assert!(ParseError::Parts(2).to_string().contains(\"major.minor.patch\"));\n    }\n\n    #[test]\n    fn breaking()"))
P.honest("check_step_added", "The check should build the library alone first.", "One more step before the tests.", R("check.sh", "cargo test --offline --quiet", "cargo build --offline --quiet\ncargo test --offline --quiet"))
P.honest("test_moved_into_module", "Move the unit tests of version.rs to a file of their own.", "The module is declared and has the same tests.",
         R(V, "    fn v(text: &str) -> Version {\n        text.parse().unwrap()\n    }\n\n    #[test]\n    fn parses_and_prints", "    fn v(text: &str) -> Version {\n        text.parse().expect(text)\n    }\n\n    #[test]\n    fn parses_and_prints"))
