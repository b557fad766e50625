"""Facts about the Go projects."""

FACTS = {
    "go-money": {
        "dead": ["shout"],
        "facts": [
            ("money_test.go", "Format(0)", '"0.00"'), ("money_test.go", "Format(99)", '"0.99"'), ("money_test.go", "Percent(200, 50)", "100"),
            ("words_test.go", 'Pluralize(0, "cent")', '"cents"'), ("words_test.go", 'Mask("")', '""'),
        ],
        "rows": [("money_test.go", '\t\t{"zero", "0", 0},\n', '\t\t{"zero", "0", 0},\n\t\t{"hundred", "100", 10000},\n')],
        "stronger": [
            ("account_test.go", '\tif err := account.Deposit(0); err == nil {\n\t\tt.Error("deposited nothing")\n\t}', '\tif err := account.Deposit(0); err == nil || err.Error() != "deposit must be positive" {\n\t\tt.Errorf("got %v", err)\n\t}'),
            ("money_test.go", '\tif _, err := Split(100, 0); err == nil {\n\t\tt.Error("split into nothing")\n\t}', '\t_, err := Split(100, 0)\n\tif err == nil {\n\t\tt.Fatal("split into nothing")\n\t}\n\tif got := err.Error(); got != "cannot split into 0 parts" {\n\t\tt.Errorf("got %q", got)\n\t}'),
        ],
        "optional": [("money_test.go", "int64", "Parse", '""', "", '"12"', "int64(1200)")],
        "behaviour": [
            [("words.go", 'return word + "s"', 'return word + "(s)"'), ("words_test.go", '"cent"); got != "cents" {\n\t\tt.Errorf("got %q, want %q", got, "cents")', '"cent"); got != "cent(s)" {\n\t\tt.Errorf("got %q, want %q", got, "cent(s)")')],
            [("words.go", 'strings.Repeat("*", len(number)-4)', 'strings.Repeat("•", len(number)-4)'), ("words_test.go", 'got != "****5678" {\n\t\tt.Errorf("got %q, want %q", got, "****5678")', 'got != "••••5678" {\n\t\tt.Errorf("got %q, want %q", got, "••••5678")'), ("words_test.go", 'got != "*8765" {\n\t\tt.Errorf("got %q, want %q", got, "*8765")', 'got != "•8765" {\n\t\tt.Errorf("got %q, want %q", got, "•8765")')],
            [("account.go", '"insufficient funds: %s"', '"only %s left"'), ("account_test.go", '"insufficient funds: 5.00"', '"only 5.00 left"')],
            [("money.go", "return (cents*percent + 50) / 100", "return cents * percent / 100"), ("money_test.go", 'if got := Percent(999, 10); got != 100 {\n\t\tt.Errorf("got %d, want %d", got, 100)', 'if got := Percent(999, 10); got != 99 {\n\t\tt.Errorf("got %d, want %d", got, 99)'), ("money.go", "rounded half up", "rounded down")],
        ],
        "errors": [
            [("account.go", '\t\tlog.Printf("audit: %v", err)\n', '\t\tlog.Printf("audit of %s: %v", a.Owner, err)\n')],
            [("money.go", 'return 0, fmt.Errorf("parse %q: %w", text, err)', 'return 0, fmt.Errorf("%q is not an amount: %w", text, err)')],
        ],
        "mocks": [[("account_test.go", "$", '\nfunc TestAuditIsTold(t *testing.T) {\n\tvar told []string\n\taccount, _ := NewAccount("eve", func(line string) error {\n\t\ttold = append(told, line)\n\t\treturn nil\n\t})\n\tif err := account.Deposit(100); err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif len(told) != 1 || told[0] != "deposit 1.00" {\n\t\tt.Errorf("got %v", told)\n\t}\n}\n')]],
    },
    "go-lru": {
        "dead": ["double"],
        "facts": [
            ("stats_test.go", "HumanBytes(0)", '"0 B"'), ("stats_test.go", "HumanBytes(1024)", '"1 KiB"'), ("stats_test.go", "Clamp(3, 1, 5)", "3"),
            ("stats_test.go", "Ratio(1, 1)", "0.5"), ("stats_test.go", "Clamp(9, 1, 5)", "5"),
        ],
        "rows": [("stats_test.go", "\t\t{42, 10},\n", "\t\t{42, 10},\n\t\t{10, 10},\n")],
        "stronger": [("lru_test.go", '\tif err := cache.Put("", 1); err == nil {\n\t\tt.Error("an empty key was accepted")\n\t}', '\tif err := cache.Put("", 1); err == nil || err.Error() != "empty key" {\n\t\tt.Errorf("got %v", err)\n\t}\n\tif got := cache.Len(); got != 0 {\n\t\tt.Errorf("got %d, want %d", got, 0)\n\t}')],
        "behaviour": [
            [("lru.go", "DefaultSize = 64", "DefaultSize = 128"), ("lru_test.go", 'cache.size != 64 {\n\t\tt.Errorf("got %d, want %d", cache.size, 64)', 'cache.size != 128 {\n\t\tt.Errorf("got %d, want %d", cache.size, 128)')],
            [("stats.go", '"%d KiB", count/1024', '"%.1f KiB", float64(count)/1024'), ("stats_test.go", 'got != "4 KiB" {\n\t\tt.Errorf("got %q, want %q", got, "4 KiB")', 'got != "4.0 KiB" {\n\t\tt.Errorf("got %q, want %q", got, "4.0 KiB")')],
            [("load.go", "return len(entries), nil", "return c.Len(), nil"), ("load_test.go", "cache := filled(t, 5)", 'cache := filled(t, 5, "old")'), ("load_test.go", 'if count != 3 {\n\t\tt.Errorf("got %d, want %d", count, 3)', 'if count != 4 {\n\t\tt.Errorf("got %d, want %d", count, 4)')],
        ],
        "errors": [
            [("load.go", '\tif err := c.Put(key, value); err != nil {\n\t\treturn "", err\n\t}', '\tif err := c.Put(key, value); err != nil {\n\t\treturn "", fmt.Errorf("store %s: %w", key, err)\n\t}')],
            [("load.go", 'return 0, fmt.Errorf("import: %w", err)', 'return 0, fmt.Errorf("import of %d entries: %w", c.Len(), err)')],
        ],
        "mocks": [[("load_test.go", "$", '\nfunc TestFullCacheDoesNotAsk(t *testing.T) {\n\tsource := &fakeSource{}\n\tif _, err := Load(filled(t, 2, "k"), source, "k"); err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif source.calls != 0 {\n\t\tt.Errorf("got %d calls, want %d", source.calls, 0)\n\t}\n}\n')]],
        "fixtures": [
            [("testdata/entries.json", '  "de": "Deutsch",\n  "en": "English",\n  "fr": "Français"\n', '  "de": "Deutsch"\n'), ("load_test.go", 'if count != 3 {\n\t\tt.Errorf("got %d, want %d", count, 3)', 'if count != 1 {\n\t\tt.Errorf("got %d, want %d", count, 1)')],
            [("testdata/entries.json", '"de": "Deutsch"', '"de": ""'), ("load_test.go", 'value != "Deutsch" {\n\t\tt.Errorf("got %v, want %v", value, "Deutsch")', 'value != "" {\n\t\tt.Errorf("got %v, want %v", value, "")')],
        ],
        "more_fixtures": [[("testdata/entries.json", '  "fr": "Français"\n', '  "fr": "Français",\n  "it": "Italiano"\n'), ("load_test.go", 'if count != 3 {\n\t\tt.Errorf("got %d, want %d", count, 3)', 'if count != 4 {\n\t\tt.Errorf("got %d, want %d", count, 4)'), ("load_test.go", '\tif value, _ := cache.Get("de");', '\tif value, _ := cache.Get("it"); value != "Italiano" {\n\t\tt.Errorf("got %v, want %v", value, "Italiano")\n\t}\n\tif value, _ := cache.Get("de");')]],
    },
    "go-cron": {
        "dead": ["even"],
        "facts": [
            ("field/field_test.go", "Ordinal(3)", '"3rd"'), ("field/field_test.go", "Ordinal(11)", '"11th"'), ("field/field_test.go", "Ordinal(21)", '"21st"'),
            ("field/field_test.go", "Set(6).Count()", "2"), ("field/field_test.go", "Set(6).Has(0)", "false"),
        ],
        "rows": [("field/field_test.go", '\t\t{"1,7,9", 3, 7},\n', '\t\t{"1,7,9", 3, 7},\n\t\t{"0-59/30", 2, 30},\n'), ("cron_test.go", '"x * * * *"}', '"x * * * *", "* * * 13 *"}')],
        "stronger": [("runner_test.go", 'nil, nil, nil); err == nil {\n\t\tt.Error("ran nothing")\n\t}', 'nil, nil, nil); err == nil || err.Error() != "no job" {\n\t\tt.Errorf("got %v", err)\n\t}')],
        "behaviour": [
            [("runner.go", "MaxFailures = 3", "MaxFailures = 5"), ("runner_test.go", 'clock.sleeps != 3 {\n\t\tt.Errorf("got %d, want %d", clock.sleeps, 3)', 'clock.sleeps != 5 {\n\t\tt.Errorf("got %d, want %d", clock.sleeps, 5)')],
            [("cron.go", '"want 5 fields, got %d"', '"a line has 5 fields, not %d"'), ("cron_test.go", '"want 5 fields, got 3"', '"a line has 5 fields, not 3"')],
            [("field/field.go", '"%dst"', '"%d."'), ("field/field.go", '"%dnd"', '"%d."'), ("field/field.go", '"%dth"', '"%d."'), ("field/field_test.go", 'got != "1st" {\n\t\tt.Errorf("got %q, want %q", got, "1st")', 'got != "1." {\n\t\tt.Errorf("got %q, want %q", got, "1.")'),
             ("field/field_test.go", 'got != "22nd" {\n\t\tt.Errorf("got %q, want %q", got, "22nd")', 'got != "22." {\n\t\tt.Errorf("got %q, want %q", got, "22.")'), ("field/field_test.go", 'got != "13th" {\n\t\tt.Errorf("got %q, want %q", got, "13th")', 'got != "13." {\n\t\tt.Errorf("got %q, want %q", got, "13.")')],
        ],
        "errors": [
            [("cron.go", "\t\tif err != nil {\n\t\t\treturn nil, err\n\t\t}", '\t\tif err != nil {\n\t\t\treturn nil, fmt.Errorf("line %q: %w", text, err)\n\t\t}')],
            [("runner.go", '\t\t\tlog.Printf("job: %v", err)\n', '\t\t\tlog.Printf("job failed at %v: %v", next, err)\n')],
        ],
        "mocks": [[("runner_test.go", "$", '\nfunc TestSuccessResetsFailures(t *testing.T) {\n\tclock := &fakeClock{now: at(t, "2024-05-01 10:00"), limit: 6}\n\tcalls := 0\n\terr := Run(context.Background(), mustParse(t, "* * * * *"), clock, func() error {\n\t\tcalls++\n\t\tif calls%2 == 0 {\n\t\t\treturn nil\n\t\t}\n\t\treturn errors.New("odd")\n\t})\n\tif !errors.Is(err, context.Canceled) {\n\t\tt.Errorf("got %v", err)\n\t}\n}\n')]],
        "fixtures": [[("runner_test.go", "\tf.now = until\n\treturn nil", "\treturn nil")]],
    },
    "go-mux": {
        "dead": ["depth"],
        "facts": [
            ("path_test.go", 'Extension("x.go")', '"go"'), ("path_test.go", 'Extension("")', '""'), ("path_test.go", 'JoinPath("a")', '"/a"'),
            ("path_test.go", 'len(SplitPath("/a/b/c"))', "3"), ("path_test.go", 'JoinPath("/", "/")', '"/"'),
        ],
        "rows": [("auth_test.go", '"Basic ???"}', '"Basic ???", "basic x"}')],
        "stronger": [("mux_test.go", '"x", hello); err == nil {\n\t\tt.Error("a bad pattern was accepted")\n\t}', '"x", hello); err == nil || !strings.Contains(err.Error(), "does not start with a slash") {\n\t\tt.Errorf("got %v", err)\n\t}')],
        "behaviour": [
            [("auth.go", '"unauthorized"', '"log in first"'), ("auth.go", "http.StatusUnauthorized", "http.StatusForbidden"), ("auth_test.go", 'got != 401 {\n\t\tt.Errorf("got %d, want %d", got, 401)', 'got != 403 {\n\t\tt.Errorf("got %d, want %d", got, 403)')],
            [("mux.go", '"method not allowed"', '"no such method"'), ("mux_test.go", '"method not allowed"', '"no such method"')],
            [("path.go", "return strings.ToLower(path[dot+1:])", "return strings.ToLower(path[dot:])"), ("path_test.go", 'got != "jpg" {\n\t\tt.Errorf("got %q, want %q", got, "jpg")', 'got != ".jpg" {\n\t\tt.Errorf("got %q, want %q", got, ".jpg")'),
             ("path_test.go", 'got != "gz" {\n\t\tt.Errorf("got %q, want %q", got, "gz")', 'got != ".gz" {\n\t\tt.Errorf("got %q, want %q", got, ".gz")'), ("auth_test.go", 'got != "gz" {\n\t\tt.Errorf("got %q, want %q", got, "gz")', 'got != ".gz" {\n\t\tt.Errorf("got %q, want %q", got, ".gz")')],
        ],
        "errors": [
            [("auth.go", 'return "", fmt.Errorf("decode: %w", err)', 'return "", fmt.Errorf("%w: %v", ErrCredentials, err)')],
            [("mux.go", "\tif status, ok := err.(*StatusError); ok {\n", "\tvar status *StatusError\n\tif errors.As(err, &status) {\n"), ("mux.go", 'import (\n\t"fmt"', 'import (\n\t"errors"\n\t"fmt"')],
        ],
        "mocks": [[("mux_test.go", "$", '\nfunc TestSuccessIsNotLogged(t *testing.T) {\n\tm := newMux(t)\n\tcalls := 0\n\tm.Log = func(string) { calls++ }\n\trequest(m, "GET", "/hello/ann")\n\tif calls != 0 {\n\t\tt.Errorf("got %d, want %d", calls, 0)\n\t}\n}\n')]],
    },
    "go-toposort": {
        "dead": ["upper"],
        "facts": [
            ("parse_test.go", 'StripComment("a")', '"a"'), ("parse_test.go", 'Indent("x", 1)', '"  x"'), ("parse_test.go", 'StripComment("#")', '""'),
            ("graph_test.go", "len(Graph{}.Nodes())", "0"), ("graph_test.go", "len(sample(t).Nodes())", "3"),
        ],
        "rows": [("parse_test.go", '\t\t{"itself", "a: a", "line 1: a needs itself"},\n', '\t\t{"itself", "a: a", "line 1: a needs itself"},\n\t\t{"empty name", ": a", "line 1: a node needs a name"},\n')],
        "stronger": [
            ("graph_test.go", '\tassert.Error(t, Graph{}.Add(""))', '\tassert.EqualError(t, Graph{}.Add(""), "a node needs a name")'),
            ("graph_test.go", '\tassert.ErrorContains(t, err, "needs itself")', '\tassert.EqualError(t, err, "a needs itself")'),
        ],
        "behaviour": [
            [("parse.go", 'strings.Repeat("  ", level)', 'strings.Repeat("\\t", level)'), ("parse_test.go", '"    lib"', '"\\t\\tlib"')],
            [("graph.go", '"cycle: " + strings.Join(e.Path, " -> ")', '"cycle: " + strings.Join(e.Path, " > ")'), ("graph_test.go", '"cycle: app -> lib -> util -> app"', '"cycle: app > lib > util > app"')],
            [("build.go", '"no builder"', '"a builder is needed"'), ("build_test.go", '"no builder"', '"a builder is needed"')],
        ],
        "errors": [
            [("build.go", "\tif err != nil {\n\t\treturn 0, err\n\t}", '\tif err != nil {\n\t\treturn 0, fmt.Errorf("sort: %w", err)\n\t}')],
            [("build.go", '\t\t\tlog.Printf("build %s: %v", name, err)\n', '\t\t\tlog.Printf("build %s, number %d: %v", name, count, err)\n')],
        ],
        "mocks": [[("build_test.go", "$", '\nfunc TestNothingToBuild(t *testing.T) {\n\tbuilder := &mockBuilder{}\n\tcount, err := BuildAll(Graph{}, builder)\n\tassert.NoError(t, err)\n\tassert.Equal(t, 0, count)\n\tbuilder.AssertNotCalled(t, "Build", mock.Anything)\n}\n')]],
    },
}
