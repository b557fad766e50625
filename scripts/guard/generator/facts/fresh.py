"""Facts about the projects of the fresh part."""

FACTS = {
    "py-inifile": {
        "dead": ["_legacy_parse"],
        "facts": [
            ("tests/test_values.py", 'as_bytes("0")', "0"), ("tests/test_values.py", 'as_list("x")', '["x"]'), ("tests/test_values.py", "clamp_percent(7)", "7"),
            ("tests/test_parser.py", 'strip_comment("")', '""'), ("tests/test_writer.py", 'quote("")', '""'),
        ],
        "rows": [("tests/test_parser.py", '        ("; only a note", ""),\n', '        ("; only a note", ""),\n        ("", ""),\n')],
        "stronger": [("tests/test_values.py", '    with pytest.raises(ValueError):\n        as_bytes("4x")', '    with pytest.raises(ValueError, match="invalid size \'4x\'"):\n        as_bytes("4x")')],
        "behaviour": [
            [("inifile/values.py", "return min(value, 100)", "return min(value, 99)"), ("tests/test_values.py", "clamp_percent(140) == 100", "clamp_percent(140) == 99"), ("tests/test_properties.py", "<= 100", "<= 99")],
            [("inifile/parser.py", '"section is not closed"', '"a section ends in ]"'), ("tests/test_parser.py", '"not closed" in', '"ends in ]" in')],
            [("inifile/writer.py", "return f'\"{value}\"'", 'return f"\'{value}\'"'), ("tests/test_writer.py", "'\" padded \"'", '"\' padded \'"'), ("tests/test_writer.py", "'\"a;b\"'", '"\'a;b\'"')],
        ],
        "errors": [[("inifile/values.py", 'raise ValueError(f"invalid size {text!r}") from cause', 'raise ValueError(f"invalid size {text!r}: {cause}") from cause')]],
        "mocks": [[("tests/test_writer.py", "$", '\n\ndef test_clock_is_not_asked(monkeypatch):\n    monkeypatch.setattr(time, "time", lambda: 0.0)\n    assert dump({"": {"a": "1"}}) == "a = 1\\n"\n')]],
        "properties": [
            [("tests/test_properties.py", "$", '\n\n@given(words)\ndef test_quote_keeps_words(word):\n    assert quote(word) == word\n'), ("tests/test_properties.py", "import dump", "import dump, quote")],
            [("tests/test_values.py", "$", '\n\ndef test_every_number_of_bytes():\n    for number in range(1000):\n        assert as_bytes(str(number)) == number\n')],
        ],
        "hoisted": [
            [("tests/test_parser.py", "def test_sections(sample):\n    sections = parse_ini(sample)\n", "@pytest.fixture\ndef sections(sample):\n    return parse_ini(sample)\n\n\ndef test_sections(sections):\n")],
            [("tests/test_parser.py", 'def test_interpolation():\n    values = {"root": "/srv", "data": "${root}/data"}\n    assert interpolate(values', 'PATHS = {"root": "/srv", "data": "${root}/data"}\n\n\ndef test_interpolation():\n    assert interpolate(PATHS'), ("tests/test_parser.py", 'interpolate(values, "root")', 'interpolate(PATHS, "root")')],
        ],
    },
    "py-billing": {
        "dead": ["old_rate"],
        "facts": [
            ("tests/test_tax.py", 'rate_of("CH")', "8"), ("tests/test_invoice.py", "format_cents(100)", '"1.00"'), ("tests/test_invoice.py", "discount(50, 0)", "50"),
            ("tests/test_dunning.py", "reminder_level(-3)", "0"), ("tests/test_invoice.py", "invoice_number(2023, 1)", '"2023-0001"'),
        ],
        "rows": [("tests/test_invoice.py", "[-1, 101, 200]", "[-1, 101, 200, 1000]"), ("tests/test_tax.py", '("US", 1000)]', '("US", 1000), ("CH", 1080)]')],
        "stronger": [("tests/test_tax.py", "with self.assertRaises(TaxError):\n            gross(-1", 'with self.assertRaisesRegex(TaxError, "net is negative"):\n            gross(-1')],
        "behaviour": [
            [("billing/invoice.py", "LIMIT = 20", "LIMIT = 30"), ("tests/test_invoice.py", "len(invoice.lines), 20)", "len(invoice.lines), 30)")],
            [("billing/dunning.py", '"Last reminder"', '"Final reminder"'), ("billing/dunning.py", "is open\"", "is due\""), ("tests/test_dunning.py", "100.00 is open", "100.00 is due")],
            [("billing/tax.py", '"FR": 20', '"FR": 21'), ("billing/tax.py", "    20\n", "    21\n"), ("tests/test_tax.py", '("FR", 1200)', '("FR", 1210)'), ("tests/test_invoice.py", "self.invoice.total(), 1044", "self.invoice.total(), 1053")],
        ],
        "errors": [[("billing/tax.py", 'raise TaxError(f"unknown country {country}") from cause', 'raise TaxError(f"unknown country {country}, not one of {sorted(RATES)}") from cause')]],
        "mocks": [[("tests/test_dunning.py", "$", '\n    def test_transport_gets_the_text(self):\n        transport = mock.Mock()\n        Outbox(transport).send("d@example.org", "hi")\n        transport.assert_called_once_with("d@example.org", "hi")\n'), ("tests/test_dunning.py", "from datetime import date\n", "from datetime import date\nfrom unittest import mock\n")]],
        "properties": [
            [("tests/test_tax.py", "\n\nif __name__", '\n\n    def test_gross_is_never_less(self):\n        for net in range(0, 5000, 7):\n            self.assertGreaterEqual(gross(net, "DE"), net)\n\n\nif __name__')],
            [("tests/test_dunning.py", "\n\nclass OutboxTest", "\n\n    def test_level_never_falls(self):\n        levels = [reminder_level(days) for days in range(100)]\n        self.assertEqual(levels, sorted(levels))\n\n\nclass OutboxTest")],
        ],
        "hoisted": [
            [("tests/test_dunning.py", 'class ReminderTest(unittest.TestCase):\n', 'class ReminderTest(unittest.TestCase):\n    def setUp(self):\n        self.invoice = Invoice("2024-0002", "US")\n        self.invoice.add("work", 2, 5000)\n\n'),
             ("tests/test_dunning.py", '        invoice = Invoice("2024-0002", "US")\n        invoice.add("work", 2, 5000)\n        self.assertEqual(reminder_text(invoice, 2)', "        self.assertEqual(reminder_text(self.invoice, 2)")],
        ],
    },
    "js-bus": {
        "dead": ["oldTopicName"],
        "facts": [
            ("test/topic.test.js", "topicDepth('a.b')", "2"), ("test/topic.test.js", "parentTopic('x.y')", "'x'"), ("test/topic.test.js", "matchTopic('#', 'a')", "true"),
            ("test/replay.test.js", "percentile([5], 0)", "5"), ("test/replay.test.js", "average([4])", "4"),
        ],
        "rows": [("test/topic.test.js", "    ['a.b.c', 'a.b', false],\n", "    ['a.b.c', 'a.b', false],\n    ['*.b', 'x.b', true],\n")],
        "stronger": [("test/bus.test.js", "toThrow(TypeError)", "toThrow(new TypeError('listener must be a function'))")],
        "behaviour": [
            [("src/bus.js", "MAX_LISTENERS = 16", "MAX_LISTENERS = 32"), ("test/bus.test.js", "expect(bus.size()).toBe(16)", "expect(bus.size()).toBe(32)")],
            [("src/topic.js", "'empty topic'", "'a topic needs a name'"), ("test/topic.test.js", "toThrow('empty topic')", "toThrow('a topic needs a name')")],
            [("src/bus.js", "`${topic}: ${error.message}`", "`${topic} - ${error.message}`"), ("test/bus.test.js", "'a: broken'", "'a - broken'")],
        ],
        "errors": [[("src/replay.js", "`invalid record: ${line}`", "`invalid record: ${line} (${line.length} letters)`")]],
        "mocks": [[("test/bus.test.js", "  it.skip('works", "  it('does not print', () => {\n    const log = jest.spyOn(console, 'log').mockImplementation(() => {});\n    new EventBus().emit('a');\n    expect(log).not.toHaveBeenCalled();\n  });\n\n  it.skip('works")]],
        "properties": [
            [("test/topic.test.js", "$", "\ndescribe('any topic', () => {\n  it('matches itself', () => {\n    for (let depth = 1; depth < 50; depth += 1) {\n      const topic = Array(depth).fill('t').join('.');\n      expect(matchTopic(topic, topic)).toBe(true);\n    }\n  });\n});\n")],
            [("test/replay.test.js", "describe('average', () => {\n", "describe('average', () => {\n  it('lies between the ends', () => {\n    for (let high = 1; high < 100; high += 1) {\n      expect(average([0, high])).toBeLessThan(high);\n    }\n  });\n\n")],
        ],
    },
    "js-backoff": {
        "dead": ["constantDelay"],
        "facts": [
            ("test/delays.test.js", "linear(2)", "200"), ("test/delays.test.js", "exponential(3)", "400"), ("test/delays.test.js", "totalDelay(1, 5)", "5"),
            ("test/header.test.js", "isRetryable(500)", "true"), ("test/header.test.js", "describeStatus(500)", "'server trouble'"),
        ],
        "rows": [("test/delays.test.js", "    [7, 700],\n", "    [7, 700],\n    [9, 900],\n")],
        "stronger": [("test/header.test.js", "describeStatus('200'), TypeError)", "describeStatus('200'), new TypeError('status must be a number'))")],
        "behaviour": [
            [("src/delays.js", "MAX_DELAY = 60000", "MAX_DELAY = 30000"), ("test/delays.test.js", "assert.equal(MAX_DELAY, 60000)", "assert.equal(MAX_DELAY, 30000)")],
            [("src/header.js", "'server trouble'", "'try later'"), ("test/header.test.js", "'server trouble'", "'try later'")],
            [("src/retry.js", "gave up after ${attempts} attempts", "failed ${attempts} times"), ("test/retry.test.js", "'gave up after 2 attempts: failure 2'", "'failed 2 times: failure 2'")],
        ],
        "errors": [[("src/header.js", "throw new SyntaxError('unreadable limits', { cause: error });", "throw new SyntaxError(`unreadable limits: ${error.message}`, { cause: error });")]],
        "mocks": [[("test/retry.test.js", "  test('needs an attempt'", "  test('sleeps once', async (t) => {\n    const sleep = t.mock.fn(async () => {});\n    await retry(failing(1), { sleep });\n    assert.equal(sleep.mock.callCount(), 1);\n  });\n\n  test('needs an attempt'")]],
        "properties": [
            [("test/delays.test.js", "$", "\ndescribe('any attempt', () => {\n  test('never waits less than the one before', () => {\n    for (let attempt = 2; attempt < 60; attempt += 1) {\n      assert.ok(exponential(attempt) >= exponential(attempt - 1));\n    }\n  });\n});\n")],
            [("test/header.test.js", "  test('reads a date'", "  test('reads any number of seconds', () => {\n    for (let seconds = 0; seconds < 500; seconds += 1) {\n      assert.equal(parseRetryAfter(String(seconds)), seconds * 1000);\n    }\n  });\n\n  test('reads a date'")],
        ],
        "hoisted": [
            [("test/retry.test.js", "function failing(times)", "const quiet = { sleep: async () => {} };\n\nfunction failing(times)"), ("test/retry.test.js", "retry(failing(9), { sleep: async () => {} })", "retry(failing(9), quiet)"), ("test/retry.test.js", "{ attempts: 2, sleep: async () => {} }", "{ attempts: 2, ...quiet }")],
        ],
    },
    "ts-matrix": {
        "dead": ["trace"],
        "facts": [
            ("src/geometry.test.ts", "normalizeAngle(360)", "0"), ("src/geometry.test.ts", "compassPoint(180)", "'S'"), ("src/parse.test.ts", "parseNumber('0')", "0"),
            ("src/matrix.test.ts", "determinant([[5]])", "5"), ("src/parse.test.ts", "formatMatrix([[1]])", "'1'"),
        ],
        "rows": [("src/matrix.test.ts", "    [[[2, 0], [0, 2]], 4],\n", "    [[[2, 0], [0, 2]], 4],\n    [[[1, 1], [1, 1]], 0],\n")],
        "stronger": [("src/geometry.test.ts", "normalizeAngle(Infinity)).toThrow(RangeError)", "normalizeAngle(Infinity)).toThrow('angle must be finite')")],
        "behaviour": [
            [("src/parse.ts", "row.join(' ')).join('; ')", "row.join(' ')).join(';')"), ("src/parse.test.ts", "writes rows', () => {\n    expect(formatMatrix([[1, 2], [3, 4]])).toBe('1 2; 3 4')", "writes rows', () => {\n    expect(formatMatrix([[1, 2], [3, 4]])).toBe('1 2;3 4')"), ("src/parse.test.ts", "writes all rows', () => {\n    expect(formatMatrix([[1, 2], [3, 4]])).toBe('1 2; 3 4')", "writes all rows', () => {\n    expect(formatMatrix([[1, 2], [3, 4]])).toBe('1 2;3 4')")],
            [("src/matrix.ts", "'matrix is not square'", "'a square is needed'"), ("src/matrix.test.ts", "'matrix is not square'", "'a square is needed'")],
            [("src/geometry.ts", "'too few points'", "'an area has three corners'"), ("src/geometry.test.ts", "'too few points'", "'an area has three corners'")],
        ],
        "errors": [[("src/parse.ts", "throw new SyntaxError('matrix is not JSON', { cause: error });", "throw new SyntaxError(`matrix is not JSON: ${text.slice(0, 20)}`, { cause: error });")]],
        "mocks": [[("src/parse.test.ts", "describe('readMatrix', () => {\n", "describe('readMatrix', () => {\n  it('does not print', () => {\n    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);\n    readMatrix('[[1]]');\n    expect(log).not.toHaveBeenCalled();\n  });\n\n"), ("src/parse.test.ts", "import { describe, expect, it } from", "import { describe, expect, it, vi } from")]],
        "properties": [
            [("src/parse.test.ts", "describe('parseNumber', () => {\n", "describe('parseNumber', () => {\n  it('reads every integer', () => {\n    fc.assert(\n      fc.property(fc.integer(), (value) => {\n        expect(parseNumber(String(value))).toBe(value);\n      }),\n    );\n  });\n\n")],
            [("src/geometry.test.ts", "  it('must be finite'", "  it('is always below a full turn', () => {\n    for (let degrees = -1000; degrees < 1000; degrees += 7) {\n      expect(normalizeAngle(degrees)).toBeLessThan(360);\n    }\n  });\n\n  it('must be finite'")],
        ],
        "hoisted": [
            [("src/matrix.test.ts", "describe('multiply', () => {\n  it('multiplies', () => {\n    const left = [[1, 2], [3, 4]];\n", "describe('multiply', () => {\n  const left = [[1, 2], [3, 4]];\n\n  it('multiplies', () => {\n")],
        ],
    },
    "ts-tokens": {
        "dead": ["lastToken"],
        "facts": [
            ("test/scanner.spec.ts", "kinds('1')", "'number'"), ("test/text.spec.ts", "camelCase('a_b')", "'aB'"), ("test/text.spec.ts", "lineOf('', 0)", "1"),
            ("test/format.spec.ts", "countTokens('a')", "1"), ("test/format.spec.ts", "format('a')", "'a'"),
        ],
        "rows": [("test/scanner.spec.ts", "    ['a-b', 'name sign name'],\n", "    ['a-b', 'name sign name'],\n    ['(1)', 'sign number sign'],\n")],
        "stronger": [("test/text.spec.ts", "to.throw(RangeError)", "to.throw(RangeError, 'position is negative')")],
        "behaviour": [
            [("src/scanner.ts", "'text is not closed'", "'a quote is missing'"), ("test/scanner.spec.ts", "'text is not closed'", "'a quote is missing'")],
            [("src/text.ts", "`not a text: ${text}`", "`no quotes around ${text}`"), ("test/text.spec.ts", "'not a text: abc'", "'no quotes around abc'")],
            [("src/format.ts", "'unreadable options'", "'options are not JSON'"), ("test/format.spec.ts", "'unreadable options'", "'options are not JSON'")],
        ],
        "errors": [[("src/format.ts", "throw new SyntaxError('unreadable options', { cause: error });", "throw new SyntaxError(`unreadable options: ${text}`, { cause: error });")]],
        "properties": [
            [("test/format.spec.ts", "describe('countTokens', () => {\n", "describe('countTokens', () => {\n  it('counts any number of names', () => {\n    for (let count = 0; count < 60; count += 1) {\n      expect(countTokens('x '.repeat(count))).to.equal(count);\n    }\n  });\n\n")],
            [("test/text.spec.ts", "describe('unquote', () => {\n", "describe('unquote', () => {\n  it('undoes quoting', () => {\n    for (let length = 0; length < 40; length += 1) {\n      const text = 'z'.repeat(length);\n      expect(unquote(`\"${text}\"`)).to.equal(text);\n    }\n  });\n\n")],
        ],
        "hoisted": [
            [("test/format.spec.ts", "describe('format', () => {\n", "describe('format', () => {\n  const tight = format('a = 1', { spaces: false });\n\n"), ("test/format.spec.ts", "    const tight = format('a = 1', { spaces: false });\n    expect", "    expect")],
        ],
    },
    "go-ratelimit": {
        "dead": ["twice"],
        "facts": [
            ("rule_test.go", "FormatWait(0)", '"0s"'), ("rule_test.go", "FormatWait(60)", '"1m00s"'), ("rule_test.go", "PerSecond(4, 2)", "2"),
            ("registry_test.go", 'MaskClient("")', '"***"'), ("registry_test.go", 'MaskClient("abcd")', '"abc***"'),
        ],
        "rows": [("rule_test.go", '\t\t{"hours", "100/h", Rule{100, time.Hour}},\n', '\t\t{"hours", "100/h", Rule{100, time.Hour}},\n\t\t{"one", "1/s", Rule{1, time.Second}},\n')],
        "stronger": [("bucket_test.go", 'time.Second, start); err == nil {\n\t\tt.Error("a bucket of nothing was accepted")\n\t}', 'time.Second, start); err == nil || err.Error() != "size must be positive, got 0" {\n\t\tt.Errorf("got %v", err)\n\t}')],
        "behaviour": [
            [("registry.go", 'return client[:3] + "***"', 'return client[:3] + "..."'), ("registry_test.go", 'got != "10.***" {\n\t\tt.Errorf("got %q, want %q", got, "10.***")', 'got != "10...." {\n\t\tt.Errorf("got %q, want %q", got, "10....")')],
            [("bucket.go", '"interval must be positive"', '"interval is too short"'), ("bucket_test.go", '"interval must be positive"', '"interval is too short"')],
            [("rule.go", '"unknown unit %q"', '"no unit %q"'), ("rule_test.go", '`unknown unit "y"`', '`no unit "y"`')],
        ],
        "errors": [
            [("registry.go", 'log.Printf("notify: %v", err)', 'log.Printf("notify about %s: %v", client, err)')],
            [("rule.go", "\tif err != nil {\n\t\treturn Rule{}, err\n\t}", '\tif err != nil {\n\t\treturn Rule{}, fmt.Errorf("rule %q: %w", text, err)\n\t}')],
        ],
        "mocks": [[("registry_test.go", "$", '\nfunc TestNobodyIsTold(t *testing.T) {\n\tregistry := newRegistry(2)\n\tcalls := 0\n\tregistry.Notify = func(string) error {\n\t\tcalls++\n\t\treturn nil\n\t}\n\tregistry.Allow("ann", start)\n\tif calls != 0 {\n\t\tt.Errorf("got %d, want %d", calls, 0)\n\t}\n}\n')]],
        "properties": [
            [("registry_test.go", "$", '\nfunc TestMaskHidesAnyEnd(t *testing.T) {\n\tname := "client"\n\tfor i := 0; i < 50; i++ {\n\t\tname += "x"\n\t\tif got := MaskClient(name); got != "cli***" {\n\t\t\tt.Fatalf("got %q", got)\n\t\t}\n\t}\n}\n')],
            [("rule_test.go", "func ExampleFormatWait", 'func FuzzParseRule(f *testing.F) {\n\tf.Add("10/s")\n\tf.Fuzz(func(t *testing.T, text string) {\n\t\trule, err := ParseRule(text)\n\t\tif err == nil && rule.Per <= 0 {\n\t\t\tt.Errorf("%q gave %v", text, rule)\n\t\t}\n\t})\n}\n\nfunc ExampleFormatWait')],
        ],
    },
    "go-statement": {
        "dead": ["lower"],
        "facts": [
            ("balance_test.go", "FormatCents(0)", '"0,00"'), ("balance_test.go", "Balance(7, nil)", "7"), ("category_test.go", 'Categorize("")', '"other"'),
            ("category_test.go", 'Categorize("SUPERMARKET")', '"food"'), ("balance_test.go", "FormatCents(-1)", '"-0,01"'),
        ],
        "rows": [("csv_test.go", '\t\t{"-0,99", -99},\n', '\t\t{"-0,99", -99},\n\t\t{"0,00", 0},\n')],
        "stronger": [("csv_test.go", '\tassert.ErrorContains(t, err, "line 2")', '\tassert.EqualError(t, err, "line 2: want 3 fields but got 1")')],
        "behaviour": [
            [("balance.go", '"limit is negative"', '"a limit is at least 0"'), ("balance_test.go", '"limit is negative"', '"a limit is at least 0"')],
            [("category.go", '"no guesser"', '"a guesser is needed"'), ("category_test.go", '"no guesser"', '"a guesser is needed"')],
            [("csv.go", '"want 3 fields but got %d"', '"an entry has 3 fields, not %d"'), ("csv_test.go", '"want 3 fields but got 2"', '"an entry has 3 fields, not 2"')],
        ],
        "errors": [
            [("category.go", 'log.Printf("guess %s: %v", entry.Text, err)', 'log.Printf("guess %s of %s: %v", entry.Text, entry.Day, err)')],
            [("csv.go", "\tif err != nil {\n\t\treturn Entry{}, err\n\t}", '\tif err != nil {\n\t\treturn Entry{}, fmt.Errorf("entry of %s: %w", fields[0], err)\n\t}')],
        ],
        "mocks": [[("category_test.go", "$", '\nfunc TestKnownTextIsNotGuessed(t *testing.T) {\n\tguesser := &fakeGuesser{}\n\t_, err := Totals([]Entry{{"d", "RENT", -1}}, guesser)\n\trequire.NoError(t, err)\n\tguesser.AssertNotCalled(t, "Guess", mock.Anything)\n}\n')]],
        "properties": [
            [("balance_test.go", "func ExampleFormatCents", 'func TestBalanceOfAnyAmount(t *testing.T) {\n\tfor cents := -300; cents < 300; cents++ {\n\t\tassert.Equal(t, cents, Balance(0, entriesOf(cents)))\n\t}\n}\n\nfunc ExampleFormatCents')],
            [("csv_test.go", "$", '\nfunc FuzzParse(f *testing.F) {\n\tf.Add("a;b;1,00")\n\tf.Fuzz(func(t *testing.T, text string) {\n\t\tentries, err := Parse(text)\n\t\tif err == nil {\n\t\t\tassert.NotEmpty(t, entries)\n\t\t}\n\t})\n}\n')],
        ],
    },
    "rs-bitset": {
        "dead": ["lowest_bit"],
        "facts": [
            ("tests/ranges.rs", "ordinal(3)", '"3rd"'), ("tests/ranges.rs", "span(0, 0)", "Ok(1)"), ("tests/bits.rs", "parity(1)", "1"),
            ("tests/ranges.rs", 'parse_number("0")', "Ok(0)"), ("src/render.rs", "hex(0)", '"0x0000"'),
        ],
        "rows": [("tests/ranges.rs", '        ("1-3,7", 4),\n', '        ("1-3,7", 4),\n        ("0-63", 64),\n')],
        "stronger": [("tests/ranges.rs", "        assert!(parse_ranges(text).is_err());", "        assert!(matches!(parse_ranges(text), Err(SetError::BadRange(_))), \"{text}\");")],
        "behaviour": [
            [("src/bits.rs", "pub const CAPACITY: u32 = 64;", "pub const CAPACITY: u32 = 32;"), ("tests/bits.rs", "assert_eq!(CAPACITY, 64);", "assert_eq!(CAPACITY, 32);"), ("tests/bits.rs", "set.insert(64), Err(SetError::TooLarge(64))", "set.insert(32), Err(SetError::TooLarge(32))"), ("tests/bits.rs", "number % 64", "number % 32"), ("tests/properties.rs", "left in 0u32..64, right in 0u32..64", "left in 0u32..32, right in 0u32..32"), ("tests/properties.rs", "number in 0u32..64", "number in 0u32..32")],
            [("src/bits.rs", '"invalid range {text}"', '"no range: {text}"'), ("tests/ranges.rs", '"invalid range 4-2"', '"no range: 4-2"')],
            [("src/render.rs", 'members.join(", ")', 'members.join(" ")'), ("src/render.rs", '"{1, 3}"', '"{1 3}"')],
        ],
        "errors": [[("src/ranges.rs", "map_err(|_| SetError::BadRange(text.to_string()))", "map_err(|error| SetError::BadRange(format!(\"{text}: {error}\")))")]],
        "properties": [
            [("tests/properties.rs", "    #[test]\n    fn parity_is_a_bit", "    #[test]\n    fn inserted_numbers_are_there(number in 0u32..64) {\n        let mut set = BitSet::new();\n        set.insert(number).unwrap();\n        prop_assert_eq!(set.smallest(), Ok(number));\n    }\n\n    #[test]\n    fn parity_is_a_bit")],
            [("tests/ranges.rs", "$", '\n#[test]\nfn every_ordinal_has_an_ending() {\n    for number in 0..200 {\n        assert_eq!(ordinal(number).len(), number.to_string().len() + 2);\n    }\n}\n')],
        ],
    },
    "rs-semver": {
        "dead": ["is_stable"],
        "facts": [
            ("tests/version.rs", 'parse_part("10")', "Ok(10)"), ("tests/version.rs", 'bump("0.0.0", "patch").unwrap()', '"0.0.1"'), ("src/changelog.rs", 'part_of("docs: x")', '"patch"'),
            ("src/changelog.rs", 'title("a")', '"A"'), ("tests/requirement.rs", 'fits("1.0.0", "1.0.0")', "Ok(true)"),
        ],
        "rows": [("tests/version.rs", '#[case("0.0.1", "0.0.1")]\n', '#[case("0.0.1", "0.0.1")]\n#[case("1.0.0", "1.0.0")]\n')],
        "stronger": [("tests/requirement.rs", "    assert!(found.is_ok());", '    assert_eq!(found, Ok(Some("1.0.0")));')],
        "behaviour": [
            [("src/changelog.rs", 'message.starts_with("feat")', 'message.starts_with("add")'), ("src/changelog.rs", 'part_of("feat: add"), "minor"', 'part_of("add: more"), "minor"')],
            [("src/requirement.rs", "1.0 / (1.0 + f64::from(left.abs_diff(right)))", "1.0 / (1.0 + 2.0 * f64::from(left.abs_diff(right)))"), ("tests/requirement.rs", "(closeness(1, 3) - 0.333333)", "(closeness(1, 3) - 0.2)")],
            [("src/requirement.rs", "left.major == right.major && (left.major > 0 || left.minor == right.minor)", "left.major == right.major"), ("tests/requirement.rs", '#[case("^0.2.0", "0.3.0", false)]', '#[case("^0.2.0", "0.3.0", true)]')],
        ],
        "errors": [[("src/version.rs", "text.parse().map_err(|_| VersionError::Number(text.to_string()))", "text.parse().map_err(|error| VersionError::Number(format!(\"{text}: {error}\")))"), ("tests/version.rs", 'VersionError::Number("x".to_string())', 'VersionError::Number("x: invalid digit found in string".to_string())')]],
        "properties": [
            [("tests/version.rs", "$", '\n#[test]\nfn every_small_version_is_itself() {\n    for minor in 0..50 {\n        let text = format!("1.{minor}.0");\n        assert_eq!(parse_version(&text).unwrap().to_string(), text);\n    }\n}\n')],
            [("tests/requirement.rs", "$", '\n#[test]\nfn closeness_is_symmetric() {\n    for left in 0..20 {\n        for right in 0..20 {\n            assert_eq!(closeness(left, right), closeness(right, left));\n        }\n    }\n}\n')],
        ],
        "hoisted": [
            [("tests/requirement.rs", '#[test]\nfn best_version() {\n    let versions = ["1.0.0", "1.4.2", "2.0.0", "1.3.9"];\n', 'const VERSIONS: [&str; 4] = ["1.0.0", "1.4.2", "2.0.0", "1.3.9"];\n\n#[test]\nfn best_version() {\n'), ("tests/requirement.rs", 'best("^1.0.0", &versions), Ok(Some("1.4.2"))', 'best("^1.0.0", &VERSIONS), Ok(Some("1.4.2"))'), ("tests/requirement.rs", 'best("^3.0.0", &versions)', 'best("^3.0.0", &VERSIONS)')],
        ],
    },
}
