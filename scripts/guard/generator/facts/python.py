"""Facts about the Python projects."""

FACTS = {
    "py-ledger": {
        "dead": ["legacy_format"],
        "facts": [
            ("tests/test_money.py", 'parse_cents("100")', "10000"),
            ("tests/test_money.py", "format_cents(99)", '"$0.99"'),
            ("tests/test_money.py", "allocate(10, 4)", "[3, 3, 2, 2]"),
            ("tests/test_money.py", "percent_of(200, 50)", "100"),
            ("tests/test_posting.py", "allocate(7, 2)", "[4, 3]"),
        ],
        "rows": [
            ("tests/test_money.py", '        (-250, "-$2.50"),\n', '        (-250, "-$2.50"),\n        (100, "$1.00"),\n'),
            ("tests/test_money.py", '["", "1.234", "99999999999"]', '["", "1.234", "99999999999", "x"]'),
        ],
        "stronger": [
            ("tests/test_posting.py", "    with pytest.raises(LedgerError):\n        ledger.post(\"cash\", \"sales\", Money(0))",
             "    with pytest.raises(LedgerError, match=\"must be positive\"):\n        ledger.post(\"cash\", \"sales\", Money(0))"),
            ("tests/test_posting.py", '    assert "cash->sales 500" in ledger.statement("sales")', '    assert ledger.statement("sales") == ["cash->sales 500"]'),
            ("tests/test_posting.py", "    assert len(ledger.history) == 2\n    assert ledger.history[0] == (\"cash\", \"sales\", 500)",
             "    assert ledger.history == [(\"cash\", \"sales\", 500), (\"sales\", \"cash\", 200)]"),
        ],
        "optional": [("tests/test_money.py", "ledger.money", "parse_cents", '""', "ValueError", '"12"', "1200")],
        "behaviour": [
            [("ledger/money.py", 'return f"{sign}{SYMBOL}{cents // 100:,}.{cents % 100:02d}"', 'return f"{sign}{SYMBOL}{cents // 100}.{cents % 100:02d}"'),
             ("tests/test_money.py", '"$1,234.56"', '"$1234.56"')],
            [("ledger/posting.py", 'f"{d}->{c} {amount}"', 'f"{d} to {c}: {amount}"'),
             ("tests/test_posting.py", '    assert ledger.statement("cash") == ["cash->sales 500"]\n    assert "cash->sales 500" in',
              '    assert ledger.statement("cash") == ["cash to sales: 500"]\n    assert "cash to sales: 500" in')],
            [("ledger/rates.py", "TIMEOUT_SECONDS = 5", "TIMEOUT_SECONDS = 3"), ("tests/test_rates.py", '["timeout"] == 5', '["timeout"] == 3')],
            [("ledger/money.py", 'SYMBOL = "$"', 'SYMBOL = "€"'), ("tests/test_money.py", '" $7.01 "', '" €7.01 "'),
             ("tests/test_money.py", '(0, "$0.00")', '(0, "€0.00")'), ("tests/test_money.py", '(5, "$0.05")', '(5, "€0.05")'),
             ("tests/test_money.py", '"$1,234.56"', '"€1,234.56"'), ("tests/test_money.py", '"-$2.50"', '"-€2.50"')],
        ],
        "errors": [
            [("ledger/rates.py", "    return float(response.json()[\"rate\"])",
              "    try:\n        return float(response.json()[\"rate\"])\n    except (KeyError, ValueError) as error:\n        raise RateError(f\"unreadable rate for {base}/{quote}\") from error")],
            [("ledger/rates.py", "    except requests.RequestException as error:\n", "    except (requests.ConnectionError, requests.Timeout, requests.HTTPError) as error:\n")],
            [("ledger/posting.py", '            log.warning("unknown account %s", error)\n', '            log.error("unknown account %s, %d are known", error, len(self.accounts))\n')],
        ],
        "mocks": [
            [("tests/test_rates.py", "$", '\n\ndef test_service_is_asked_once(service):\n    service.return_value.json.return_value = {"rate": 2.0}\n    assert rates.fetch_rate("USD", "JPY") == 2.0\n    service.assert_called_once()\n')],
            [("tests/test_rates.py", "$", '\n\ndef test_bad_status_is_wrapped(service):\n    service.return_value.raise_for_status.side_effect = requests.HTTPError("503")\n    with pytest.raises(rates.RateError):\n        rates.fetch_rate("USD", "EUR")\n')],
        ],
        "fixtures": [
            [("tests/fixtures/usd_eur.json", '"rate": 0.92', '"rate": 1.0'), ("tests/test_rates.py", "approx(0.92, abs=1e-6)", "approx(1.0, abs=1e-6)")],
            [("tests/conftest.py", '    book.open("sales")\n    return book', '    book.open("sales")\n    book.post = lambda *words: book.history.append(words)\n    return book')],
        ],
        "more_fixtures": [
            [("tests/fixtures/usd_gbp.json", None, '{\n  "base": "USD",\n  "quote": "GBP",\n  "rate": 0.79\n}\n'),
             ("tests/test_rates.py", "$", '\n\ndef test_pound_is_read(service):\n    service.return_value.json.return_value = json.loads((FIXTURES / "usd_gbp.json").read_text())\n    assert rates.fetch_rate("USD", "GBP") == pytest.approx(0.79)\n')],
            [("tests/conftest.py", "$", "\n\n@pytest.fixture\ndef empty_ledger():\n    return Ledger()\n"),
             ("tests/test_posting.py", "$", "\n\ndef test_new_ledger_is_empty(empty_ledger):\n    assert empty_ledger.total() == 0\n")],
        ],
    },
    "py-calcparse": {
        "dead": ["_dump"],
        "facts": [
            ("tests/test_evaluate.py", 'evaluate("10 / 4")', "2.5"),
            ("tests/test_evaluate.py", 'evaluate("(1 + 1) ^ 3")', "8"),
            ("tests/test_lexer.py", 'tokenize("7")', '[("number", "7")]'),
            ("tests/test_lexer.py", 'describe(("name", "x"))', '"name x"'),
            ("tests/test_parser.py", 'depth_of(parse("1"))', "1"),
        ],
        "rows": [
            ("tests/test_evaluate.py", '    ("2 * 3 ^ 2", 18),\n', '    ("2 * 3 ^ 2", 18),\n    ("1.5 * 2", 3),\n'),
            ("tests/test_parser.py", '["1+", "(1", ")", "1 2"]', '["1+", "(1", ")", "1 2", "*"]'),
            ("tests/test_lexer.py", '("ab#", 2)]', '("ab#", 2), ("!", 0)]'),
        ],
        "stronger": [
            ("tests/test_parser.py", '        assert tree[0] == "*"\n        assert tree[1] == ("+", 1.0, 2.0)', '        assert tree == ("*", ("+", 1.0, 2.0), 3.0)'),
            ("tests/test_evaluate.py", "        evaluate(\"1 / 0\")\n    assert str(info.value) == \"division by zero\"",
             "        evaluate(\"1 / 0\")\n    assert str(info.value) == \"division by zero\"\n    assert isinstance(info.value.__cause__, ZeroDivisionError)"),
        ],
        "optional": [("tests/test_evaluate.py", "calcparse.evaluate", "evaluate", '"z"', "EvaluationError", '"1"', "1")],
        "behaviour": [
            [("calcparse/lexer.py", 'return f"{kind} {text}"', 'return f"{kind}({text})"'), ("tests/test_lexer.py", '"number 7"', '"number(7)"'),
             ("tests/test_lexer.py", '"op +"', '"op(+)"'), ("tests/test_parser.py", "trailing number 2", r"trailing number\\(2\\)".replace("\\\\", "."))],
            [("calcparse/lexer.py", "MAX_LENGTH = 1000", "MAX_LENGTH = 2000"), ("tests/test_lexer.py", '"1" * 1001', '"1" * 2001')],
            [("calcparse/evaluate.py", "    return round(walk(parse(text), scope), 10)", "    return round(walk(parse(text), scope), 4)"),
             ("tests/test_evaluate.py", "pytest.approx(math.pi, abs=1e-9)", "3.1416"), ("tests/test_evaluate.py", "pytest.approx(5.4365636, rel=1e-6)", "5.4366")],
            [("calcparse/evaluate.py", 'EvaluationError("division by zero")', 'EvaluationError(f"{left} divided by zero")'),
             ("tests/test_evaluate.py", 'assert str(info.value) == "division by zero"', 'assert str(info.value) == "1.0 divided by zero"')],
        ],
        "errors": [
            [("calcparse/evaluate.py", "    except ZeroDivisionError as error:\n        raise EvaluationError(\"division by zero\") from error",
              "    except ZeroDivisionError as error:\n        raise EvaluationError(\"division by zero\") from error\n    except OverflowError as error:\n        raise EvaluationError(\"number too large\") from error")],
            [("calcparse/parser.py", "class ParseError(Exception):\n    pass", "class ParseError(ValueError):\n    \"\"\"The text is not an expression.\"\"\"")],
        ],
    },
    "py-cachekit": {
        "dead": ["_legacy_path"],
        "facts": [
            ("tests/test_store.py", "human_size(0)", '"0 B"'),
            ("tests/test_store.py", "human_size(1023)", '"1023 B"'),
            ("tests/test_store.py", "human_size(3 * 1024 ** 3)", '"3 GiB"'),
            ("tests/test_memo.py", "make_key((), {})", '""'),
            ("tests/test_memo.py", "make_key((None,), {})", '"None"'),
        ],
        "rows": [("tests/test_ttl.py", "(1, 0), (1, -5)]", "(1, 0), (1, -5), (-3, -3)]")],
        "stronger": [
            ("tests/test_ttl.py", "    with pytest.raises(ValueError):\n        TtlCache(size=size, ttl=ttl)", "    with pytest.raises(ValueError, match=\"must be\"):\n        TtlCache(size=size, ttl=ttl)"),
            ("tests/test_memo.py", "    assert function.call_count == 1", "    function.assert_called_once_with(1)"),
            ("tests/test_memo.py", "    with pytest.raises(KeyError):\n        cached()", "    with pytest.raises(KeyError, match=\"x\"):\n        cached()"),
        ],
        "optional": [],
        "behaviour": [
            [("src/cachekit/ttl.py", "DEFAULT_SIZE = 128", "DEFAULT_SIZE = 256"),
             ("tests/test_ttl.py", "assert cache.size == 128", "assert cache.size == 256"), ("tests/test_memo.py", "assert cache.size == 128", "assert cache.size == 256")],
            [("src/cachekit/ttl.py", "DEFAULT_TTL = 60.0", "DEFAULT_TTL = 90.0"),
             ("tests/test_ttl.py", "assert cache.ttl == 60.0", "assert cache.ttl == 90.0"), ("tests/test_memo.py", "assert cache.ttl == 60.0", "assert cache.ttl == 90.0")],
            [("src/cachekit/store.py", 'return f"{count} {unit}"', 'return f"{count}{unit}"'), ("tests/test_store.py", '"512 B"', '"512B"'),
             ("tests/test_store.py", '"2 KiB"', '"2KiB"'), ("tests/test_store.py", '"5 MiB"', '"5MiB"')],
            [("src/cachekit/store.py", "FORMAT = 2", "FORMAT = 3"), ("tests/test_store.py", '"format": 2}', '"format": 3}')],
            [("src/cachekit/memo.py", 'return ",".join(parts)', 'return ";".join(parts)'), ("tests/test_memo.py", "\"1,'a'\"", "\"1;'a'\""), ("tests/test_memo.py", '"a=1,b=2"', '"a=1;b=2"')],
        ],
        "errors": [
            [("src/cachekit/store.py", "        except FileNotFoundError:\n            return {}\n", "        except FileNotFoundError:\n            return {}\n        except UnicodeDecodeError as error:\n            raise StoreError(f\"{self.path.name} is not text\") from error\n"),
             ("tests/test_store.py", "$", "\n\ndef test_binary_file(store):\n    store.path.write_bytes(b\"\\xff\\xfe\\x00\")\n    with pytest.raises(StoreError, match=\"not text\"):\n        store.load()\n")],
            [("src/cachekit/store.py", "        self.path.write_text(json.dumps({\"format\": FORMAT, \"entries\": entries}, sort_keys=True))",
              "        try:\n            self.path.write_text(json.dumps({\"format\": FORMAT, \"entries\": entries}, sort_keys=True))\n        except TypeError as error:\n            raise StoreError(\"entries are not JSON\") from error")],
        ],
        "mocks": [
            [("tests/test_memo.py", "$", "\n\ndef test_slow_service_is_asked_once(cache):\n    service = Mock(return_value=\"page\", __name__=\"service\")\n    cached = memoize(cache)(service)\n    assert [cached(\"a\"), cached(\"a\")] == [\"page\", \"page\"]\n    service.assert_called_once_with(\"a\")\n")],
        ],
        "fixtures": [
            [("tests/conftest.py", "    return TtlCache(size=3, ttl=10, clock=clock)", "    return TtlCache(size=3000, ttl=10, clock=lambda: 100.0)"),],
            [("tests/conftest.py", "        self.now += seconds", "        pass")],
        ],
        "more_fixtures": [
            [("tests/conftest.py", "$", "\n\n@pytest.fixture\ndef large_cache(clock):\n    return TtlCache(size=1000, ttl=10, clock=clock)\n"),
             ("tests/test_ttl.py", "$", "\n\ndef test_large_cache_keeps_all(large_cache):\n    for number in range(1000):\n        large_cache.put(str(number), number)\n    assert len(large_cache) == 1000\n")],
        ],
    },
    "py-shorturl": {
        "dead": ["_pad"],
        "facts": [
            ("tests/test_codec.py", "encode(961)", '"322"'),
            ("tests/test_codec.py", 'decode("3")', "1"),
            ("tests/test_validate.py", 'clean_url("https://example.org/x")', '"https://example.org/x"'),
            ("tests/test_report.py", 'shorten("abc")', '"abc"'),
            ("tests/test_report.py", 'render(["u"])', '"# Links\\n\\n1. u\\n1 total\\n"'),
        ],
        "rows": [
            ("tests/test_codec.py", "[0, 1, 30, 31, 960, 961, 123456789]", "[0, 1, 30, 31, 960, 961, 123456789, 2**40]"),
            ("tests/test_codec.py", '        ("ABC", "bad character"),\n', '        ("ABC", "bad character"),\n        ("a-b", "bad character"),\n'),
            ("tests/test_validate.py", '("a_b_c", False)]', '("a_b_c", False), ("x" * 33, False)]'),
        ],
        "stronger": [
            ("tests/test_codec.py", "    with pytest.raises(ValueError):\n        encode(-1)", "    with pytest.raises(ValueError, match=\"negative number\"):\n        encode(-1)"),
            ("tests/test_app.py", '    assert app.handle("GET", "/zz").status == 404', '    response = app.handle("GET", "/zz")\n    assert response.status == 404\n    assert response.body == "no such link"'),
            ("tests/test_app.py", '    assert app.handle("DELETE", "/2").status == 405', '    assert app.handle("DELETE", "/2") == Response(405, "method not allowed")'.replace("Response(", "type(app.handle(\"GET\", \"/health\"))(")),
        ],
        "optional": [("tests/test_codec.py", "shorturl.codec", "decode", '""', "ValueError", '"3"', "1")],
        "behaviour": [
            [("shorturl/report.py", 'lines.append(f"{len(urls)} total")', 'lines.append(f"{len(urls)} links")'), ("tests/golden/report.txt", "3 total", "3 links"),
             ("tests/test_report.py", '"# None\\n\\n0 total\\n"', '"# None\\n\\n0 links\\n"')],
            [("shorturl/report.py", 'url[: width - 3] + "..."', 'url[: width - 1] + "…"'), ("tests/test_report.py", '"http://a.example/..."', '"http://a.example/lo…"')],
            [("shorturl/app.py", 'return Response(400, "malformed body")', 'return Response(422, "malformed body")'),
             ("tests/test_app.py", '    assert app.handle("POST", "/links", "{").status == 400\n    assert app.handle("POST", "/links", "{}").status == 400',
              '    assert app.handle("POST", "/links", "{").status == 422\n    assert app.handle("POST", "/links", "{}").status == 422')],
            [("shorturl/app.py", 'return Response(200, "ok")', 'return Response(200, "healthy")'), ("tests/test_app.py", '.body == "ok"', '.body == "healthy"')],
        ],
        "errors": [
            [("shorturl/app.py", "        except (ValueError, KeyError):\n            return Response(400, \"malformed body\")", "        except (json.JSONDecodeError, KeyError) as error:\n            log.info(\"malformed body: %s\", error)\n            return Response(400, \"malformed body\")")],
            [("shorturl/app.py", "        except InvalidUrl as error:\n", "        except InvalidUrl as error:\n            log.info(\"refused: %s\", error.reason)\n")],
        ],
        "snapshot": [
            [("shorturl/report.py", 'lines = [f"# {title}", ""]', 'lines = [f"## {title}", ""]'), ("tests/golden/report.txt", "# Links", "## Links"), ("tests/test_report.py", '"# None', '"## None')],
            [("shorturl/report.py", 'f"{number}. {url}"', 'f"{number}) {url}"'), ("tests/golden/report.txt", "1. https://example.org/a\n2. https://example.org/b\n3. https://example.org/c", "1) https://example.org/a\n2) https://example.org/b\n3) https://example.org/c")],
            [("shorturl/report.py", 'f"{number}. {url}"', 'f"- {url}"'), ("shorturl/report.py", "for number, url in enumerate(urls, 1)", "for url in urls"), ("tests/golden/report.txt", "1. https://example.org/a\n2. https://example.org/b\n3. https://example.org/c", "- https://example.org/a\n- https://example.org/b\n- https://example.org/c")],
        ],
        "mocks": [
            [("tests/test_app.py", "$", '\n\ndef test_listener_is_not_told_of_failures():\n    notify = Mock()\n    post(App(notify=notify), "ftp://example.org")\n    notify.assert_not_called()\n')],
        ],
        "fixtures": [
            [("tests/golden/report.txt", "3 total", "4 total")],
            [("tests/conftest.py", 'for name in ("a", "b", "c"):', 'for name in ("a",):'), ("tests/golden/report.txt", "1. https://example.org/a\n2. https://example.org/b\n3. https://example.org/c\n3 total", "1. https://example.org/a\n1 total")],
            [("tests/golden/report.txt", "1. https://example.org/a\n2. https://example.org/b\n3. https://example.org/c\n3 total", "0 total")],
        ],
        "more_fixtures": [
            [("tests/golden/one.txt", None, "# One\n\n1. x\n1 total\n"), ("tests/test_report.py", "$", '\n\ndef test_report_of_one():\n    assert render(["x"], "One") == (GOLDEN / "one.txt").read_text()\n')],
        ],
    },
    "py-datekit": {
        "dead": ["_old_weekday"],
        "facts": [
            ("tests/test_duration.py", 'parse_duration("1m1s")', "61"),
            ("tests/test_duration.py", "format_duration(60)", '"1m"'),
            ("tests/test_duration.py", "format_duration(86400)", '"1d"'),
            ("tests/test_duration.py", 'parse_duration("0s")', "0"),
            ("tests/test_schedule.py", 'parse_duration("2h")', "7200"),
        ],
        "rows": [
            ("tests/test_calendar.py", "(2400, True)]", "(2400, True), (1600, True)]"),
            ("tests/test_duration.py", '("1x", "h", "1h 2m")', '("1x", "h", "1h 2m", "-5s")'),
        ],
        "stronger": [
            ("tests/test_schedule.py", "        self.assertIsNotNone(self.schedule.next_time())", "        self.assertEqual(self.schedule.next_time(), 4200)"),
            ("tests/test_duration.py", "        with self.assertRaises(ValueError):\n            parse_duration(\"\")", "        with self.assertRaisesRegex(ValueError, \"empty duration\"):\n            parse_duration(\"\")"),
            ("tests/test_calendar.py", "        with self.assertRaises(ValueError):\n            working_days", "        with self.assertRaisesRegex(ValueError, \"end before start\"):\n            working_days"),
        ],
        "optional": [("tests/test_duration.py", "datekit.duration", "parse_duration", '""', "ValueError", '"45s"', "45")],
        "behaviour": [
            [("datekit/duration.py", 'return "".join(parts) or "0s"', 'return " ".join(parts) or "0s"'), ("tests/test_duration.py", '"1d2h3m4s"', '"1d 2h 3m 4s"'),
             ("tests/test_duration.py", '("5s", "1m", "2h10s", "3d4h")', '("5s", "1m", "2h", "3d")')],
            [("datekit/schedule.py", "MAX_FAILURES = 3", "MAX_FAILURES = 2"),
             ("tests/test_schedule.py", "        schedule.run_due(1)\n        schedule.run_due(2)\n        self.assertEqual(job.failures, 2)\n        with self.assertRaisesRegex(ScheduleError, \"bad failed 3 times\"):\n            schedule.run_due(3)",
              "        schedule.run_due(1)\n        self.assertEqual(job.failures, 1)\n        with self.assertRaisesRegex(ScheduleError, \"bad failed 2 times\"):\n            schedule.run_due(2)")],
            [("datekit/calendar.py", 'f"no month {month}"', 'f"month {month} is not within 1..12"'), ("tests/test_calendar.py", '"no month 13"', '"month 13 is not within"')],
            [("datekit/calendar.py", "WEEKEND = {5, 6}", "WEEKEND = {6}"), ("tests/test_calendar.py", "date(2024, 7, 7)), 5)", "date(2024, 7, 7)), 6)")],
        ],
        "errors": [
            [("datekit/schedule.py", '                log.error("%s failed: %s", job.name, error)', '                log.exception("%s failed", job.name)')],
            [("datekit/schedule.py", "        self.every = parse_duration(every)", "        try:\n            self.every = parse_duration(every)\n        except ValueError as error:\n            raise ScheduleError(f\"{name}: {error}\") from error"),
             ("tests/test_schedule.py", "$", "\n    def test_bad_interval(self):\n        with self.assertRaisesRegex(ScheduleError, \"x: empty duration\"):\n            Job(\"x\", \"\", self.action)\n")],
        ],
        "mocks": [
            [("tests/test_schedule.py", "$", "\n    def test_action_of_other_job_is_not_called(self):\n        other = mock.Mock()\n        self.schedule.add(Job(\"yearly\", \"365d\", other))\n        self.schedule.run_due(3600)\n        other.assert_not_called()\n")],
        ],
    },
}
