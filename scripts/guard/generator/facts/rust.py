"""Facts about the Rust projects."""

FACTS = {
    "rs-decimal": {
        "dead": ["dollars"],
        "facts": [
            ("src/money.rs", 'parse("100")', "Ok(10000)"), ("src/money.rs", "format(99)", '"0.99"'), ("src/money.rs", "allocate(7, 2)", "vec![4, 3]"),
            ("src/money.rs", "percent(200, 50)", "100"), ("tests/account.rs", 'parse("1")', "Ok(100)"),
        ],
        "rows": [("src/money.rs", '            (5, "0.05"),\n', '            (5, "0.05"),\n            (99, "0.99"),\n'), ("src/money.rs", '["1.234", "abc", "1.2.3"]', '["1.234", "abc", "1.2.3", "--1"]')],
        "stronger": [
            ("tests/account.rs", "    assert!(account(1).withdraw(Money(-1)).is_err());", "    assert_eq!(account(1).withdraw(Money(-1)), Err(AccountError::NotPositive));"),
            ("tests/account.rs", "    assert_eq!(account.audit().len(), 2);", '    assert_eq!(account.audit().len(), 2);\n    assert_eq!(account.audit()[1], "withdraw 0.01");'),
        ],
        "optional": [("src/money.rs", "i64", "parse", '""', "", '"12"', "1200")],
        "behaviour": [
            [("src/money.rs", 'write!(f, "amount too large")', 'write!(f, "amount over the limit")'), ("src/money.rs", '.to_string(), "amount too large"', '.to_string(), "amount over the limit"')],
            [("src/account.rs", '"deposit {}"', '"in {}"'), ("tests/account.rs", '"deposit 5.00"', '"in 5.00"')],
            [("src/money.rs", "    (cents * percent + 50) / 100", "    cents * percent / 100"), ("src/money.rs", "assert_eq!(percent(999, 10), 100);", "assert_eq!(percent(999, 10), 99);"), ("src/money.rs", "fn percent_rounds_half_up", "fn percent_rounds_down")],
        ],
        "errors": [[("src/money.rs", "        .map_err(|_| MoneyError::NotANumber(text.to_owned()))?;", "        .map_err(|_: std::num::ParseIntError| MoneyError::NotANumber(text.to_owned()))?;")]],
        "mocks": [[("tests/account.rs", "$", "\n#[test]\nfn failed_changes_are_not_recorded() {\n    let mut account = account(500);\n    assert!(account.withdraw(Money(501)).is_err());\n    assert_eq!(account.audit().len(), 1);\n}\n")]],
        "fixtures": [[("tests/account.rs", "    account.deposit(Money(cents)).unwrap();\n    account\n", "    let _ = account.deposit(Money(cents));\n    let _ = account.deposit(Money(1));\n    account\n"), ("tests/account.rs", "    assert_eq!(account.balance(), Money(300));", "    assert_eq!(account.balance(), Money(301));")]],
    },
    "rs-lexer": {
        "dead": ["half"],
        "facts": [
            ("tests/eval.rs", 'value("2 * 2")', "4.0"), ("tests/eval.rs", "round_to(1.0, 1)", "1.0"), ("tests/parser.rs", 'message(")")', '"unexpected \')\'"'),
            ("src/token.rs", 'tokenize("")', "Ok(vec![])"), ("src/token.rs", "is_operator('+')", "true"),
        ],
        "rows": [("tests/eval.rs", '("2 - -1", 3.0)]', '("2 - -1", 3.0), ("1 - 1", 0.0)]')],
        "stronger": [
            ("src/token.rs", '        assert!(tokenize("1.2.3").is_err());', '        assert_eq!(tokenize("1.2.3").unwrap_err().found, \'.\');'),
            ("tests/parser.rs", '    assert!(message("1 ? 2").contains("at 2"));', '    assert_eq!(message("1 ? 2"), "unexpected \'?\' at 2");'),
        ],
        "behaviour": [
            [("src/token.rs", 'format!("name {name}")', 'format!("the name {name}")'), ("src/token.rs", '"name x"', '"the name x"')],
            [("src/parser.rs", '"unexpected end"', '"unexpected end of text"'), ("tests/parser.rs", '"unexpected end"', '"unexpected end of text"')],
            [("src/parser.rs", "MAX_DEPTH: usize = 64", "MAX_DEPTH: usize = 128"), ("tests/parser.rs", '"(".repeat(100), ")".repeat(100)', '"(".repeat(200), ")".repeat(200)')],
            [("src/parser.rs", '"trailing {}"', '"left over: {}"'), ("tests/parser.rs", '"trailing number 2"', '"left over: number 2"')],
        ],
        "errors": [[("src/eval.rs", "            None => Err(EvalError::Unknown(name.clone())),", "            None if names.is_empty() => Err(EvalError::Unknown(name.clone())),\n            None => Err(EvalError::Unknown(name.to_owned())),")]],
        "fixtures": [[("tests/common/mod.rs", '    eval(text, &names).expect(text)', '    eval(text, &names).unwrap_or_default()')]],
        "more_fixtures": [[("tests/common/mod.rs", '("pi".to_owned(), 3.14159)', '("pi".to_owned(), 3.14159), ("e".to_owned(), 2.71828)'), ("tests/eval.rs", '    assert_close(value("pi"), 3.14159);', '    assert_close(value("pi"), 3.14159);\n    assert_close(value("e"), 2.71828);')]],
    },
    "rs-fetch": {
        "dead": ["scheme"],
        "facts": [
            ("src/backoff.rs", "describe(Duration::from_millis(1))", '"1ms"'), ("src/backoff.rs", "describe(Duration::from_secs(60))", '"60s"'), ("src/backoff.rs", "backoff().delay(1)", "Duration::from_millis(200)"),
            ("tests/cache.rs", 'normalize("http://a")', '"http://a"'), ("tests/cache.rs", "cache().len()", "0"),
        ],
        "stronger": [
            ("src/backoff.rs", "        assert!(Backoff::new(Duration::from_secs(2), Duration::from_secs(1)).is_err());", '        let error = Backoff::new(Duration::from_secs(2), Duration::from_secs(1)).unwrap_err();\n        assert_eq!(error, "cap is below base");'),
            ("tests/client.rs", "    assert!(body.is_ok());", '    assert_eq!(body, Ok("page".to_owned()));'),
        ],
        "behaviour": [
            [("src/backoff.rs", "MAX_ATTEMPTS: u32 = 5", "MAX_ATTEMPTS: u32 = 4"), ("tests/client.rs", "attempts: 5", "attempts: 4")],
            [("src/backoff.rs", 'format!("{}ms", delay.as_millis())', 'format!("{} ms", delay.as_millis())'), ("src/backoff.rs", '"250ms"', '"250 ms"')],
            [("src/cache.rs", "url.trim_end_matches('/').to_lowercase()", "url.trim_end_matches('/').to_owned()"), ("tests/cache.rs", 'assert_eq!(normalize("HTTP://Example.org"), "http://example.org");', 'assert_eq!(normalize("HTTP://Example.org"), "HTTP://Example.org");'), ("tests/cache.rs", "fn url_in_lower_case", "fn url_keeps_its_case")],
        ],
        "errors": [[("src/client.rs", "                Err(_) => tokio::time::sleep(self.backoff.delay(attempts)).await,", '                Err(last) => {\n                    eprintln!("attempt {attempts}: {last}");\n                    tokio::time::sleep(self.backoff.delay(attempts)).await;\n                }')]],
        "mocks": [[("tests/client.rs", "$", '\n#[tokio::test]\nasync fn bad_urls_are_not_fetched() {\n    let calls = Cell::new(0);\n    let result = client()\n        .fetch("file:///x", |_| {\n            calls.set(calls.get() + 1);\n            async { Ok(String::new()) }\n        })\n        .await;\n    assert!(result.is_err());\n    assert_eq!(calls.get(), 0);\n}\n')]],
        "fixtures": [[("tests/cache.rs", "Cache::new(Duration::from_secs(10), 2)", "Cache::new(Duration::from_secs(10), 2000)"), ("tests/cache.rs", '    assert!(!cache.put(now, "c", "3"));\n    assert_eq!(cache.len(), 2);', '    cache.put(now, "c", "3");')]],
    },
    "rs-calendar": {
        "dead": ["capital"],
        "facts": [
            ("tests/text.rs", "ordinal(3)", '"3rd"'), ("tests/text.rs", 'pluralize(0, "day")', '"0 days"'), ("tests/duration.rs", "format_duration(60)", '"1m"'),
            ("tests/duration.rs", 'parse_duration("1s")', "Ok(1)"), ("src/date.rs", "days_in_month(2024, 12)", "31"),
        ],
        "rows": [("tests/duration.rs", '["5s", "1m", "2h10s", "3d4h"]', '["5s", "1m", "2h10s", "3d4h", "59s"]'), ("src/date.rs", '["", "2024-07", "2024-07-04-1", "July"]', '["", "2024-07", "2024-07-04-1", "July", "a-b-c"]')],
        "stronger": [("src/date.rs", "        assert!(Date::new(2024, 2, 29).is_ok());", "        assert_eq!(Date::new(2024, 2, 29).unwrap().day, 29);")],
        "optional": [("tests/duration.rs", "u64", "parse_duration", '""', "", '"2d"', "172800")],
        "behaviour": [
            [("src/text.rs", 'format!("{count} {word}s")', 'format!("{count} {word}(s)")'), ("tests/text.rs", '"3 days"', '"3 day(s)"')],
            [("src/date.rs", '"no month {month}"', '"month {month} does not exist"'), ("src/date.rs", '"no month 13"', '"month 13 does not exist"')],
            [("src/duration.rs", 'text.push_str("0s");', 'text.push_str("now");'), ("tests/duration.rs", 'assert_eq!(format_duration(0), "0s");', 'assert_eq!(format_duration(0), "now");')],
        ],
        "errors": [[("src/duration.rs", '.map_err(|_| format!("no count before {c}"))', '.map_err(|error| format!("no count before {c}: {error}"))')]],
    },
    "rs-slug": {
        "dead": ["braces"],
        "facts": [
            ("tests/slug.rs", 'slugify("A")', '"a"'), ("tests/slug.rs", 'validate("x")', 'Ok("x")'), ("tests/slug.rs", 'initials("Bo")', '"B"'),
            ("tests/template.rs", 'truncate("", 4)', '""'), ("tests/template.rs", 'filled("")', "Ok(String::new())"),
        ],
        "rows": [("tests/slug.rs", '#[case("1 + 1", "1-1")]\n', '#[case("1 + 1", "1-1")]\n#[case("UPPER", "upper")]\n'), ("tests/slug.rs", "#[case(\"a b\", SlugError::BadCharacter(' '))]\n", "#[case(\"a b\", SlugError::BadCharacter(' '))]\n#[case(\"a/b\", SlugError::BadCharacter('/'))]\n")],
        "stronger": [("tests/names.rs", '    assert!(!registry.release("nothing"));', '    assert!(!registry.release("nothing"));\n    assert_eq!(registry.len(), 1);')],
        "behaviour": [
            [("src/slug.rs", "MAX_LENGTH: usize = 60", "MAX_LENGTH: usize = 80"), ("tests/slug.rs", '"a".repeat(61)', '"a".repeat(81)'), ("tests/slug.rs", "TooLong(61)", "TooLong(81)")],
            [("src/names.rs", 'format!("{slug}-{number}")', 'format!("{slug}-v{number}")'), ("tests/names.rs", '"first-post-2"', '"first-post-v2"'), ("tests/names.rs", '"first-post-3"', '"first-post-v3"')],
            [("src/template.rs", "short.push('…');", "short.push('~');"), ("tests/template.rs", '"abc…"', '"abc~"')],
        ],
        "errors": [[("src/template.rs", "            None => return Err(TemplateError::Unknown(name.to_owned())),", "            None => {\n                let name = name.trim().to_owned();\n                return Err(TemplateError::Unknown(name));\n            }")]],
    },
}
