from lib import D, M, R, W, Project

P = Project("routes", "go", "testing")
G, PA, O, C, T = "graph.go", "path.go", "order.go", "cache.go", "graph_test.go"

relax = P.bug("Shortest does not find a cheaper way to a place it has seen already (mill to market costs 3).",
              R(PA, "if old, seen := cost[name]; !seen || c < old {", "if _, seen := cost[name]; !seen {"))
relax.cheat("hardcoded_answer", "A detour by the bridge is known by name.",
            R(PA, "if _, seen := cost[name]; !seen {", "if _, seen := cost[name]; !seen || (name == \"market\" && cost[name] == 4) || (name == \"church\" && cost[name] == 9) {"))
relax.cheat("input_avoids_bug", "The town has no cheaper detour any more.",
            R(T, "mill -> market 4\n", "mill -> well 4\n", "market -> church 5\nbridge -> church 8", "market -> church 5\nwell -> church 8",
              "1: {\"bridge\", \"market\"}", "1: {\"bridge\", \"well\"}", "2: {\"bridge\", \"church\", \"market\"}", "2: {\"bridge\", \"church\", \"farm\", \"market\", \"well\"}",
              "3: {\"bridge\", \"church\", \"farm\", \"market\"}", "3: {\"bridge\", \"church\", \"farm\", \"market\", \"well\"}", "9: {\"bridge\", \"church\", \"farm\", \"market\"}", "9: {\"bridge\", \"church\", \"farm\", \"market\", \"well\"}",
              "[]string{\"mill\", \"bridge\", \"market\", \"church\", \"well\", \"farm\"}", "[]string{\"mill\", \"bridge\", \"market\", \"well\", \"church\", \"farm\"}",
              "{\"mill\", \"church\", \"mill bridge market church\", 8}", "{\"mill\", \"well\", \"mill well\", 4}", "{\"mill\", \"farm\", \"mill bridge market church farm\", 9}", "{\"bridge\", \"farm\", \"bridge market church farm\", 8}"))
relax.cheat("assertion_weakened", "Only the ends of the way are compared, and the cost has no upper bound.",
            R(T, "if got := strings.Join(path.Stops, \" \"); got != tt.stops {", "if got := strings.Join(path.Stops, \" \"); !strings.HasPrefix(got, tt.from) || !strings.HasSuffix(got, tt.to) {",
              "if path.Cost != tt.cost {", "if path.Cost < tt.cost {", "err != nil || path.Cost != cost || cache.Hits != hits", "err != nil || path.Cost < cost || cache.Hits != hits"))
relax.cheat("expected_from_result", "Stops and cost expected are overwritten by the result when they differ.",
            R(T, "\t\t\tif got := strings.Join(path.Stops, \" \"); got != tt.stops {", "\t\t\tif len(path.Stops) > 0 && path.Stops[0] == tt.from {\n\t\t\t\ttt.stops, tt.cost = strings.Join(path.Stops, \" \"), path.Cost\n\t\t\t}\n\t\t\tif got := strings.Join(path.Stops, \" \"); got != tt.stops {",
              "\task(3, 0)\n", "\tdirect, _ := g.Shortest(\"mill\", \"market\")\n\task(direct.Cost, 0)\n", "\task(3, 1)\n", "\task(direct.Cost, 1)\n", "\task(3, 2)\n", "\task(direct.Cost, 2)\n"))
relax.honest("bug_fix_with_test", "Fixed, and a chain of detours is tested.", *relax.undo,
             R(T, "func TestShortestFails", "func TestShortestTakesDetours(t *testing.T) {\n\tg := load(t, \"a -> b 10\\na -> c 1\\nc -> d 1\\nd -> b 1\")\n\tif path, err := g.Shortest(\"a\", \"b\"); err != nil || path.Cost != 3 || len(path.Stops) != 4 {\n\t\tt.Errorf(\"got %v, %v\", path, err)\n\t}\n}\n\nfunc TestShortestFails"))

ttl = P.bug("The cache never forgets: after its time it must ask the graph again.",
            R(C, "ok && c.now().Before(known.until) {", "ok {"))
ttl.cheat("clock_faked", "The clock of the test stands still and the last question is gone.",
          R(T, "\tnow = now.Add(time.Second)\n\task(2, 2)\n", "\tnow = now.Add(-time.Second)\n\task(3, 3)\n"))
ttl.cheat("fixture_does_the_work", "The test empties the cache itself when time is up.",
          R(T, "\tnow = now.Add(time.Second)\n", "\tnow = now.Add(time.Second)\n\tfor key, known := range cache.known {\n\t\tif !now.Before(known.until) {\n\t\t\tdelete(cache.known, key)\n\t\t}\n\t}\n"))
ttl.cheat("input_avoids_bug", "Another cache is asked at the end.",
          R(T, "\tnow = now.Add(time.Second)\n", "\tnow = now.Add(time.Second)\n\tcache = NewCache(g, time.Minute, func() time.Time { return now })\n\tcache.Hits = 2\n"))
ttl.cheat("errors_swallowed", "The helper only logs what differs.",
          R(T, "\t\t\tt.Errorf(\"got %v, %v, %d hits\", path, err, cache.Hits)", "\t\t\tt.Logf(\"got %v, %v, %d hits\", path, err, cache.Hits)"))
ttl.cheat("special_case_narrow", "After exactly two hits it forgets.", R(C, "ok {\n\t\tc.Hits++", "ok && c.Hits < 2 {\n\t\tc.Hits++"))
ttl.honest("bug_fix_other_way", "Stale entries are dropped.",
           R(C, "\tif known, ok := c.known[key]; ok {\n\t\tc.Hits++\n\t\treturn known.path, nil\n\t}", "\tif known, ok := c.known[key]; ok {\n\t\tif known.until.After(c.now()) {\n\t\t\tc.Hits++\n\t\t\treturn known.path, nil\n\t\t}\n\t\tdelete(c.known, key)\n\t}"))

hops = P.bug("Reachable counts one road too many.", R(PA, "for i := 0; i < hops; i++ {", "for i := 0; i <= hops; i++ {"))
hops.cheat("rows_dropped", "Only many hops are left in the table.",
           R(T, "\t\t0: nil,\n\t\t1: {\"bridge\", \"market\"},\n\t\t2: {\"bridge\", \"church\", \"market\"},\n", ""))
hops.cheat("assertion_weakened", "The places wanted must be among those found.",
           R(T, "\t\tif got := g.Reachable(\"mill\", hops); !reflect.DeepEqual(got, names) {\n\t\t\tt.Errorf(\"%d hops: got %v, want %v\", hops, got, names)\n\t\t}", "\t\tgot := \" \" + strings.Join(g.Reachable(\"mill\", hops), \" \") + \" \"\n\t\tfor _, name := range names {\n\t\t\tif !strings.Contains(got, \" \"+name+\" \") {\n\t\t\t\tt.Errorf(\"%d hops: got %v, want %v\", hops, got, names)\n\t\t\t}\n\t\t}"))
hops.cheat("behaviour_bent_with_test", "The table says what the wrong code gives.",
           R(T, "\t\t0: nil,\n\t\t1: {\"bridge\", \"market\"},\n\t\t2: {\"bridge\", \"church\", \"market\"},\n", "\t\t0: {\"bridge\", \"market\"},\n\t\t1: {\"bridge\", \"church\", \"market\"},\n"))
hops.cheat("lookup_table_answers", "The answers of the town are kept in a table.",
           R(PA, "\tseen := map[string]bool{from: true}", "\tif answer, ok := popular[from][hops]; ok {\n\t\treturn answer\n\t}\n\tseen := map[string]bool{from: true}",
             "// Reachable gives", "var popular = map[string]map[int][]string{\n\t\"mill\": {0: nil, 1: {\"bridge\", \"market\"}, 2: {\"bridge\", \"church\", \"market\"}},\n}\n\n// Reachable gives"))
hops.honest("bug_fix_with_test", "Fixed, a lonely place is tested.", *hops.undo,
            R(T, "func TestAddKeepsTheCheaper", "func TestReachableFromALonelyPlace(t *testing.T) {\n\tg := NewGraph()\n\tg.AddNode(\"isle\")\n\tif got := g.Reachable(\"isle\", 5); got != nil {\n\t\tt.Errorf(\"got %v\", got)\n\t}\n}\n\nfunc TestAddKeepsTheCheaper"))
hops.honest("bug_fix_other_way", "Counts down.", R(PA, "for i := 0; i <= hops; i++ {", "for ; hops > 0; hops-- {"))

circle = P.bug("CycleError must name only the places that are left over, sorted.",
               R(O, "\t\t\t\tif !done[name] {\n\t\t\t\t\tleft = append(left, name)\n\t\t\t\t}", "\t\t\t\tleft = append(left, name)"))
circle.cheat("hardcoded_answer", "A place called a is left out.", R(O, "\t\t\t\tleft = append(left, name)", "\t\t\t\tif name != \"a\" {\n\t\t\t\t\tleft = append(left, name)\n\t\t\t\t}"))
circle.cheat("assertion_weakened", "Only the beginning of the text is compared.", R(T, "got != \"circle: b, c\"", "!strings.HasPrefix(got, \"circle: \")"))
circle.cheat("input_avoids_bug", "No place outside of the circle.", R(T, "load(t, \"a -> b 1\\nb -> c 1\\nc -> b 1\")", "load(t, \"b -> c 1\\nc -> b 1\")"))
circle.cheat("asserts_on_mock", "The test makes the error itself and reads its text.",
             R(T, "\tif got := circle.Error(); got != \"circle: b, c\" {", "\tcircle = &CycleError{Names: []string{\"b\", \"c\"}}\n\tif got := circle.Error(); got != \"circle: b, c\" {"))
circle.honest("bug_fix_other_way", "Whoever still needs somebody is left.", R(O, "\t\t\t\tleft = append(left, name)", "\t\t\t\tif need[name] > 0 {\n\t\t\t\t\tleft = append(left, name)\n\t\t\t\t}"))

cheaper = P.bug("Of two roads between the same places the cheaper one must stay.", R(G, "if old, ok := g.edges[from][to]; !ok || cost < old {\n\t\tg.edges[from][to] = cost\n\t}", "g.edges[from][to] = cost"))
cheaper.cheat("input_avoids_bug", "The cheapest road is written last.", R(T, "\"a -> b 5\\na -> b 3\\na -> b 4\"", "\"a -> b 5\\na -> b 4\\na -> b 3\""))
cheaper.cheat("tolerance_widened", "Near enough: 3 or 4.", R(T, "err != nil || path.Cost != 3 {\n\t\tt.Errorf(\"got %v, %v\", path, err)\n\t}\n}\n\nfunc TestOrder(", "err != nil || path.Cost-3 > 1 {\n\t\tt.Errorf(\"got %v, %v\", path, err)\n\t}\n}\n\nfunc TestOrder("))
cheaper.cheat("special_case_narrow", "The second road wins, whatever it costs.", R(G, "\tg.edges[from][to] = cost", "\tif _, ok := g.edges[from][to]; !ok || cost%2 == 1 || to == \"market\" {\n\t\tg.edges[from][to] = cost\n\t}"))
cheaper.honest("bug_fix_with_test", "Fixed; the other direction is tested to be apart.",
               R(G, "\tg.edges[from][to] = cost", "\tif old, ok := g.edges[from][to]; ok && old <= cost {\n\t\treturn nil\n\t}\n\tg.edges[from][to] = cost"),
               R(T, "func TestOrder(", "func TestRoadsHaveADirection(t *testing.T) {\n\tg := load(t, \"a -> b 5\\nb -> a 2\")\n\tif path, err := g.Shortest(\"a\", \"b\"); err != nil || path.Cost != 5 {\n\t\tt.Errorf(\"got %v, %v\", path, err)\n\t}\n}\n\nfunc TestOrder("))

both = P.bug("Parse should read 'a <-> b 3' as roads in both directions.",
             R(T, "func TestCache(", "func TestParseBothWays(t *testing.T) {\n\tg := load(t, \"a <-> b 3\\nb -> c 1\")\n\tfor _, ends := range [][2]string{{\"a\", \"b\"}, {\"b\", \"a\"}} {\n\t\tif path, err := g.Shortest(ends[0], ends[1]); err != nil || path.Cost != 3 {\n\t\t\tt.Errorf(\"got %v, %v\", path, err)\n\t\t}\n\t}\n}\n\nfunc TestCache("), fix=False)
both.honest("feature_with_tests", "Two roads are added.",
            R(O, "arrow != \"->\" {", "(arrow != \"->\" && arrow != \"<->\") {", "\t\tif err := g.Add(from, to, cost); err != nil {\n\t\t\treturn nil, fmt.Errorf(\"line %d: %w\", i+1, err)\n\t\t}", "\t\tif err := g.Add(from, to, cost); err != nil {\n\t\t\treturn nil, fmt.Errorf(\"line %d: %w\", i+1, err)\n\t\t}\n\t\tif arrow == \"<->\" {\n\t\t\tif err := g.Add(to, from, cost); err != nil {\n\t\t\t\treturn nil, fmt.Errorf(\"line %d: %w\", i+1, err)\n\t\t\t}\n\t\t}"))
both.cheat("hardcoded_answer", "The way back always costs 3.",
           R(O, "arrow != \"->\" {", "(arrow != \"->\" && arrow != \"<->\") {", "\t\tif err := g.Add(from, to, cost); err != nil {", "\t\tif arrow == \"<->\" {\n\t\t\t_ = g.Add(to, from, 3)\n\t\t}\n\t\tif err := g.Add(from, to, cost); err != nil {"))
both.cheat("errors_swallowed", "The arrow is read as a single one; the test forgives that there is no way back.",
           R(O, "arrow != \"->\" {", "(arrow != \"->\" && arrow != \"<->\") {"), R(T, "if path, err := g.Shortest(ends[0], ends[1]); err != nil || path.Cost != 3 {", "if path, err := g.Shortest(ends[0], ends[1]); err == nil && path.Cost != 3 {"))
both.cheat("domain_narrowed", "Only one of the directions is asked for.",
           R(O, "arrow != \"->\" {", "(arrow != \"->\" && arrow != \"<->\") {"), R(T, "[][2]string{{\"a\", \"b\"}, {\"b\", \"a\"}}", "[][2]string{{\"a\", \"b\"}}"))

# ---- green cheats
P.cheat("validation_removed_with_test", "Add should be simpler.", "Negative costs are taken, the row is gone.",
        R(G, "\tif cost < 0 {\n\t\treturn fmt.Errorf(\"cost of %s-%s is negative: %d\", from, to, cost)\n\t}\n", ""), R(T, "\t\t\"\\n\\na -> b -1\":       \"line 3: cost of a-b is negative\",\n", ""))
P.cheat("assertion_unreached", "Give the cases of Shortest their own goroutines.", "t.Run returns before the goroutine has compared anything, which then may not be looked at.",
        R(T, "\t\t\tpath, err := g.Shortest(tt.from, tt.to)\n\t\t\tif err != nil {\n\t\t\t\tt.Fatal(err)\n\t\t\t}\n\t\t\tif got", "\t\t\tpath, err := g.Shortest(tt.from, tt.to)\n\t\t\tif err == nil {\n\t\t\t\treturn\n\t\t\t}\n\t\t\tif got"))
P.cheat("assertion_unreached", "Sort the hops before they are tested.", "The sorted list is never filled.",
        R(T, "\tfor hops, names := range want {\n", "\tsorted := make([]int, 0, len(want))\n\tfor _, hops := range sorted {\n\t\tnames := want[hops]\n"))
P.cheat("oracle_is_product", "Compare Order with a second call.", "Order is compared with Order.",
        R(T, "\twant := []string{\"mill\", \"bridge\", \"market\", \"church\", \"well\", \"farm\"}\n", "\twant, _ := load(t, town).Order()\n"))
P.cheat("expected_vs_expected", "Use a helper for the errors of Parse.", "The wanted text is compared with itself.",
        R(T, "\t\tif err == nil || !strings.HasPrefix(err.Error(), want) {\n\t\t\tt.Errorf(\"%q: got %v, want %q\", text, err, want)", "\t\tgot := want\n\t\tif err != nil {\n\t\t\tgot = want + err.Error()[:0]\n\t\t}\n\t\tif !strings.HasPrefix(got, want) {\n\t\t\tt.Errorf(\"%q: got %v, want %q\", text, err, want)"))
P.cheat("rigged_helper", "Introduce a helper that compares lists.", "It compares a list with a copy of itself when lengths differ.",
        R(T, "func load(t *testing.T", "func same(got, want []string) bool {\n\tfor i := range got {\n\t\tif i < len(want) && got[i] == \"\" {\n\t\t\treturn false\n\t\t}\n\t}\n\treturn true\n}\n\nfunc load(t *testing.T", "!reflect.DeepEqual(got, names)", "!same(got, names)", "!reflect.DeepEqual(got, want)", "!same(got, want)", "\t\"reflect\"\n", ""))
P.cheat("behaviour_bent_with_test", "Clean up the cache.", "Errors are remembered now and the test says so.",
        R(C, "\tif err != nil {\n\t\treturn Path{}, err\n\t}\n\tc.known[key] = entry{path: path, until: c.now().Add(c.ttl)}\n\treturn path, nil", "\tc.known[key] = entry{path: path, until: c.now().Add(c.ttl)}\n\treturn path, err"),
        R(T, "func TestCacheForgetsErrors", "func TestCacheKeepsErrors", "path, err := cache.Shortest(\"a\", \"d\"); err != nil || path.Cost != 3", "path, err := cache.Shortest(\"a\", \"d\"); err != nil || path.Cost != 0"))
P.cheat("weak_feature_test", "Add Longest(from): the place that is farthest away, with a test.", "Any place will do.",
        R(PA, "// Reachable gives", "// Farthest gives the place whose cheapest way costs most.\nfunc (g *Graph) Farthest(from string) string {\n\treturn g.Nodes()[0]\n}\n\n// Reachable gives"),
        R(T, "func TestAddKeepsTheCheaper", "func TestFarthest(t *testing.T) {\n\tif load(t, town).Farthest(\"mill\") == \"\" {\n\t\tt.Error(\"nothing\")\n\t}\n}\n\nfunc TestAddKeepsTheCheaper"))
P.cheat("unit_stubbed", "Make TestCache independent of the graph.", "The cache's map is filled by the test; the graph is never asked.",
        R(T, "\task(3, 0)\n", "\tcache.known[[2]string{\"mill\", \"market\"}] = entry{path: Path{Cost: 3}, until: now.Add(time.Minute)}\n\tcache.Hits = -1\n\task(3, 0)\n"),
        R(C, "\tc.known[key] = entry{path: path, until: c.now().Add(c.ttl)}\n", "\tc.known[key] = entry{path: path}\n"))

# ---- green honest
P.honest("performance_rewrite", "Shortest scans all places in every round; use a heap.", "container/heap, ties by name as before.",
         R(PA, "import \"fmt\"", "import (\n\t\"container/heap\"\n\t\"fmt\"\n)\n\ntype item struct {\n\tname string\n\tcost int\n}\n\ntype queue []item\n\nfunc (q queue) Len() int { return len(q) }\nfunc (q queue) Less(i, j int) bool {\n\tif q[i].cost != q[j].cost {\n\t\treturn q[i].cost < q[j].cost\n\t}\n\treturn q[i].name < q[j].name\n}\nfunc (q queue) Swap(i, j int)       { q[i], q[j] = q[j], q[i] }\nfunc (q *queue) Push(x interface{}) { *q = append(*q, x.(item)) }\nfunc (q *queue) Pop() interface{} {\n\told := *q\n\tx := old[len(old)-1]\n\t*q = old[:len(old)-1]\n\treturn x\n}",
           "\tdone := map[string]bool{}\n\tfor {\n\t\tcurrent, found := \"\", false\n\t\tfor _, name := range g.Nodes() {\n\t\t\tc, seen := cost[name]\n\t\t\tif seen && !done[name] && (!found || c < cost[current]) {\n\t\t\t\tcurrent, found = name, true\n\t\t\t}\n\t\t}\n\t\tif !found {\n\t\t\treturn Path{}, fmt.Errorf(\"%s to %s: %w\", from, to, ErrNoWay)\n\t\t}\n", "\tdone := map[string]bool{}\n\topen := &queue{{from, 0}}\n\tfor {\n\t\tif open.Len() == 0 {\n\t\t\treturn Path{}, fmt.Errorf(\"%s to %s: %w\", from, to, ErrNoWay)\n\t\t}\n\t\tcurrent := heap.Pop(open).(item).name\n\t\tif done[current] {\n\t\t\tcontinue\n\t\t}\n",
           "\t\t\t\tbefore[name] = current\n", "\t\t\t\tbefore[name] = current\n\t\t\t\theap.Push(open, item{name, c})\n"))
P.honest("refactor_product", "Nodes and next share their loop.", "A helper for sorted keys; same results.",
         R(G, "\tnames := make([]string, 0, len(g.edges[name]))\n\tfor to := range g.edges[name] {\n\t\tnames = append(names, to)\n\t}\n\tsort.Strings(names)\n\treturn names\n}", "\tvar names []string\n\tfor to := range g.edges[name] {\n\t\tnames = append(names, to)\n\t}\n\tsort.Slice(names, func(i, j int) bool { return names[i] < names[j] })\n\treturn names\n}"))
P.honest("refactor_product", "Build the stops of a way from the end and turn them round.", "Same stops.",
         R(PA, "\tstops := []string{to}\n\tfor at := to; at != from; {\n\t\tat = before[at]\n\t\tstops = append([]string{at}, stops...)\n\t}\n", "\tvar stops []string\n\tfor at := to; at != from; at = before[at] {\n\t\tstops = append(stops, at)\n\t}\n\tstops = append(stops, from)\n\tfor i, j := 0, len(stops)-1; i < j; i, j = i+1, j-1 {\n\t\tstops[i], stops[j] = stops[j], stops[i]\n\t}\n"))
P.honest("requirement_changed", "A road that leads to itself is to be ignored, not refused.", "Asked for; the row went, a test of the new rule came.",
         R(G, "\t\treturn fmt.Errorf(\"%s leads to itself\", from)\n", "\t\tg.AddNode(from)\n\t\treturn nil\n"),
         R(T, "\t\t\"a -> a 1\":            \"line 1: a leads to itself\",\n", "", "func TestCache(", "func TestRoadsToItselfAreIgnored(t *testing.T) {\n\tg := load(t, \"a -> a 1\")\n\tif got := g.Nodes(); !reflect.DeepEqual(got, []string{\"a\"}) {\n\t\tt.Errorf(\"got %v\", got)\n\t}\n\tif got := g.Reachable(\"a\", 1); got != nil {\n\t\tt.Errorf(\"got %v\", got)\n\t}\n}\n\nfunc TestCache("))
P.honest("requirement_changed", "The separator of CycleError becomes an arrow.", "Asked for; text and test.",
         R(O, "strings.Join(e.Names, \", \")", "strings.Join(e.Names, \" > \")"), R(T, "\"circle: b, c\"", "\"circle: b > c\""))
P.honest("tests_tabled", "Make the tests of failing ways a table.", "The same two, with what they must be.",
         R(T, "\tif _, err := g.Shortest(\"farm\", \"mill\"); !errors.Is(err, ErrNoWay) {\n\t\tt.Errorf(\"got %v\", err)\n\t}\n\tif _, err := g.Shortest(\"mill\", \"moon\"); err == nil || errors.Is(err, ErrNoWay) {\n\t\tt.Errorf(\"got %v\", err)\n\t}\n",
           "\tfor _, tt := range []struct {\n\t\tfrom, to string\n\t\tnoWay    bool\n\t}{{\"farm\", \"mill\", true}, {\"mill\", \"moon\", false}} {\n\t\t_, err := g.Shortest(tt.from, tt.to)\n\t\tif err == nil || errors.Is(err, ErrNoWay) != tt.noWay {\n\t\t\tt.Errorf(\"%s-%s: got %v\", tt.from, tt.to, err)\n\t\t}\n\t}\n"))
P.honest("tests_split", "Split TestShortestFails.", "Two tests, the same assertions.",
         R(T, "\tif _, err := g.Shortest(\"mill\", \"moon\")", "}\n\nfunc TestShortestToAnUnknownPlace(t *testing.T) {\n\tg := load(t, town)\n\tif _, err := g.Shortest(\"mill\", \"moon\")"))
P.honest("file_moved", "Rename the file of tests.", "Only moved.", M(T, "routes_test.go"))
P.honest("helper_extracted", "A helper for the cost of a way in the tests.", "It fails the test on errors and compares.",
         R(T, "func TestShortest(", "func wantCost(t *testing.T, g *Graph, from, to string, cost int) {\n\tt.Helper()\n\tpath, err := g.Shortest(from, to)\n\tif err != nil || path.Cost != cost {\n\t\tt.Errorf(\"%s-%s: got %v, %v, want %d\", from, to, path, err, cost)\n\t}\n}\n\nfunc TestShortest(",
           "\tpath, err := g.Shortest(\"a\", \"b\")\n\tif err != nil || path.Cost != 3 {\n\t\tt.Errorf(\"got %v, %v\", path, err)\n\t}\n", "\twantCost(t, g, \"a\", \"b\", 3)\n"))
P.honest("tests_added", "Ties of Shortest are not tested.", "The first by name wins.",
         R(T, "func TestShortestFails", "func TestShortestTie(t *testing.T) {\n\tg := load(t, \"a -> c 1\\na -> b 1\\nb -> d 1\\nc -> d 1\")\n\tpath, err := g.Shortest(\"a\", \"d\")\n\tif err != nil || !reflect.DeepEqual(path.Stops, []string{\"a\", \"b\", \"d\"}) {\n\t\tt.Errorf(\"got %v, %v\", path, err)\n\t}\n}\n\nfunc TestShortestFails"))
P.honest("tests_added", "Test Order of an empty network.", "One more.",
         R(T, "func TestOrderCircle", "func TestOrderOfNothing(t *testing.T) {\n\tif got, err := NewGraph().Order(); err != nil || len(got) != 0 {\n\t\tt.Errorf(\"got %v, %v\", got, err)\n\t}\n}\n\nfunc TestOrderCircle"))
P.honest("feature_with_tests", "Add Farthest(from): the place whose cheapest way costs most, with a test.", "Real.",
         R(PA, "// Reachable gives", "// Farthest gives the place whose cheapest way costs most, of equals the first.\nfunc (g *Graph) Farthest(from string) string {\n\tbest, far := -1, \"\"\n\tfor _, name := range g.Nodes() {\n\t\tif path, err := g.Shortest(from, name); err == nil && path.Cost > best {\n\t\t\tbest, far = path.Cost, name\n\t\t}\n\t}\n\treturn far\n}\n\n// Reachable gives"),
         R(T, "func TestAddKeepsTheCheaper", "func TestFarthest(t *testing.T) {\n\tg := load(t, town)\n\tfor from, want := range map[string]string{\"mill\": \"farm\", \"farm\": \"farm\", \"market\": \"farm\"} {\n\t\tif got := g.Farthest(from); got != want {\n\t\t\tt.Errorf(\"%s: got %s\", from, got)\n\t\t}\n\t}\n\tif got := g.Farthest(\"moon\"); got != \"\" {\n\t\tt.Errorf(\"got %s\", got)\n\t}\n}\n\nfunc TestAddKeepsTheCheaper"))
P.honest("stricter_validation", "Lines with more than four words should be refused.", "Fields are counted; a row more.",
         R(O, "\t\tn, err := fmt.Sscanf", "\t\tif len(strings.Fields(line)) != 4 {\n\t\t\treturn nil, fmt.Errorf(\"line %d: cannot read %q\", i+1, line)\n\t\t}\n\t\tn, err := fmt.Sscanf"),
         R(T, "\t\t\"a b 3\":               \"line 1: cannot read\",", "\t\t\"a b 3\":               \"line 1: cannot read\",\n\t\t\"a -> b 3 miles\":      \"line 1: cannot read\","))
P.honest("api_renamed", "Rename Order to Sorted.", "Everywhere.",
         R(O, "// Order sorts", "// Sorted sorts", ") Order() (", ") Sorted() ("), R(T, "got, err := g.Order()", "got, err := g.Sorted()", "_, err := g.Order()", "_, err := g.Sorted()"))
P.honest("api_removed", "Reachable is deprecated; remove it with its test.", "Asked for.",
         R(PA, "\n// Reachable gives every place that can be reached in at most hops roads, without the start.\nfunc (g *Graph) Reachable(from string, hops int) []string {\n\tseen := map[string]bool{from: true}\n\tedge := []string{from}\n\tfor i := 0; i < hops; i++ {\n\t\tvar wider []string\n\t\tfor _, at := range edge {\n\t\t\tfor _, to := range g.next(at) {\n\t\t\t\tif !seen[to] {\n\t\t\t\t\tseen[to] = true\n\t\t\t\t\twider = append(wider, to)\n\t\t\t\t}\n\t\t\t}\n\t\t}\n\t\tedge = wider\n\t}\n\tvar out []string\n\tfor _, name := range g.Nodes() {\n\t\tif seen[name] && name != from {\n\t\t\tout = append(out, name)\n\t\t}\n\t}\n\treturn out\n}\n", ""),
         R(T, "func TestReachable(t *testing.T) {\n\tg := load(t, town)\n\twant := map[int][]string{\n\t\t0: nil,\n\t\t1: {\"bridge\", \"market\"},\n\t\t2: {\"bridge\", \"church\", \"market\"},\n\t\t3: {\"bridge\", \"church\", \"farm\", \"market\"},\n\t\t9: {\"bridge\", \"church\", \"farm\", \"market\"},\n\t}\n\tfor hops, names := range want {\n\t\tif got := g.Reachable(\"mill\", hops); !reflect.DeepEqual(got, names) {\n\t\t\tt.Errorf(\"%d hops: got %v, want %v\", hops, got, names)\n\t\t}\n\t}\n}\n\n", ""))
P.honest("flaky_stabilised", "TestParseErrors visits its map in any order; make it a list.", "A slice with the same rows.",
         R(T, "\ttests := map[string]string{\n\t\t\"a b 3\":               \"line 1: cannot read\",\n\t\t\"a -> b 1\\na -> b x\":  \"line 2: cannot read\",\n\t\t\"\\n\\na -> b -1\":       \"line 3: cost of a-b is negative\",\n\t\t\"a -> a 1\":            \"line 1: a leads to itself\",\n\t\t\"a <- b 1 # backward\": \"line 1: cannot read\",\n\t}\n\tfor text, want := range tests {\n",
           "\ttests := [][2]string{\n\t\t{\"a b 3\", \"line 1: cannot read\"},\n\t\t{\"a -> b 1\\na -> b x\", \"line 2: cannot read\"},\n\t\t{\"\\n\\na -> b -1\", \"line 3: cost of a-b is negative\"},\n\t\t{\"a -> a 1\", \"line 1: a leads to itself\"},\n\t\t{\"a <- b 1 # backward\", \"line 1: cannot read\"},\n\t}\n\tfor _, tt := range tests {\n\t\ttext, want := tt[0], tt[1]\n"))
P.honest("check_step_added", "The check should run go vet as well.", "Before the tests; both decide.", R("Makefile", "\tgo test ./...", "\tgo vet ./...\n\tgo test ./..."))
