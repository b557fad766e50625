"""Facts about the JavaScript and TypeScript projects."""

FACTS = {
    "js-cart": {
        "dead": ["legacyFormat"],
        "facts": [
            ("test/price.test.js", "parsePrice('3.5')", "350"),
            ("test/price.test.js", "formatPrice(1)", "'€0.01'"),
            ("test/price.test.js", "discount(200, 50)", "100"),
            ("test/price.test.js", "roundToFive(12)", "10"),
            ("test/cart.test.js", "parsePrice('1')", "100"),
        ],
        "rows": [
            ("test/price.test.js", "    ['-1'],\n", "    ['-1'],\n    ['1e3'],\n"),
            ("test/price.test.js", "    [5, 'USD', '$0.05'],\n", "    [5, 'USD', '$0.05'],\n    [99, 'USD', '$0.99'],\n"),
        ],
        "stronger": [
            ("test/cart.test.js", "expect(() => cart.add('apple', 50, 0)).toThrow(RangeError);", "expect(() => cart.add('apple', 50, 0)).toThrow(new RangeError('quantity must be positive'));"),
            ("test/checkout.test.js", "    expect(result.status).toBe('free');", "    expect(result).toEqual({ status: 'free' });"),
        ],
        "optional": [("test/price.test.js", "", "parsePrice", "''", "", "'12'", "1200")],
        "behaviour": [
            [("src/cart.js", "const MAX_ITEMS = 50;", "const MAX_ITEMS = 100;"), ("test/cart.test.js", "expect(full.items.size).toBe(50);", "expect(full.items.size).toBe(100);")],
            [("src/checkout.js", "`${item.quantity} x ${item.sku}`", "`${item.sku} (${item.quantity})`"), ("test/checkout.test.js", "['1 x book']", "['book (1)']")],
            [("src/price.js", "return `${symbol}${(cents / 100).toFixed(2)}`;", "return `${symbol} ${(cents / 100).toFixed(2)}`;"), ("test/price.test.js", "'€0.00'", "'€ 0.00'"),
             ("test/price.test.js", "'$0.05'", "'$ 0.05'"), ("test/price.test.js", "'£1234.56'", "'£ 1234.56'"), ("test/price.test.js", "'€2.50'", "'€ 2.50'")],
            [("src/checkout.js", "return { status: 'declined' };", "return { status: 'declined', retry: false };"), ("test/checkout.test.js", "toEqual({ status: 'declined' })", "toEqual({ status: 'declined', retry: false })")],
        ],
        "errors": [
            [("src/checkout.js", "    throw new Error(`payment failed: ${error.message}`);", "    throw new Error(`payment failed: ${error.message}`, { cause: error });")],
            [("src/checkout.js", "  } catch (error) {\n    if (error.response && error.response.status === 402) {", "  } catch (error) {\n    const status = error.response ? error.response.status : undefined;\n    if (status === 402) {")],
        ],
        "mocks": [
            [("test/checkout.test.js", "  it('needs a token'", "  it('asks the gateway once', async () => {\n    axios.post.mockReset();\n    axios.post.mockResolvedValue({ data: { id: 'ch_2' } });\n    await checkout(cart, 'tok');\n    expect(axios.post).toHaveBeenCalledTimes(1);\n  });\n\n  it('needs a token'")],
            [("test/checkout.test.js", "  it('needs a token'", "  it('does not ask the gateway for nothing', async () => {\n    axios.post.mockReset();\n    await checkout(cartOf(), 'tok');\n    expect(axios.post).not.toHaveBeenCalled();\n  });\n\n  it('needs a token'")],
        ],
        "fixtures": [
            [("test/helpers.js", "    cart.add(sku, cents, quantity);", "    cart.items.set(sku, { sku, cents, quantity });"), ("test/helpers.js", "  return cart;", "  cart.subtotal = () => 180;\n  return cart;")],
            [("test/cart.test.js", "cartOf(['apple', 50, 2], ['pear', 80, 1])", "cartOf()"), ("test/cart.test.js", "    expect(cart.subtotal()).toBe(180);\n    expect(cart.items.size).toBe(2);", "    expect(cart.subtotal()).toBe(0);\n    expect(cart.items.size).toBe(0);")],
        ],
        "more_fixtures": [
            [("test/helpers.js", "module.exports = { cartOf };", "function emptyCart() {\n  return cartOf();\n}\n\nmodule.exports = { cartOf, emptyCart };"), ("test/checkout.test.js", "const { cartOf } = require('./helpers');", "const { cartOf, emptyCart } = require('./helpers');"),
             ("test/checkout.test.js", "await checkout(cartOf(), 'tok')", "await checkout(emptyCart(), 'tok')")],
        ],
    },
    "js-router": {
        "dead": ["stripHash"],
        "facts": [
            ("test/match.spec.js", "matchPath('/a/:b', '/a/x/')", "{ b: 'x' }"),
            ("test/match.spec.js", "matchPath('/a', '/b')", "null"),
            ("test/query.spec.js", "parseQuery('x=1')", "{ x: '1' }"),
            ("test/query.spec.js", "buildQuery({})", "''"),
            ("test/query.spec.js", "joinPath('a', 'b')", "'a/b'"),
        ],
        "rows": [("test/query.spec.js", "    { text: 'a=&b', expected: { a: '', b: '' } },\n", "    { text: 'a=&b', expected: { a: '', b: '' } },\n    { text: '&&', expected: {} },\n")],
        "stronger": [
            ("test/router.spec.js", "    expect(() => router.on('GET', '/x', null)).to.throw(TypeError);", "    expect(() => router.on('GET', '/x', null)).to.throw(TypeError, 'handler must be a function');"),
            ("test/router.spec.js", "    expect(response.body).to.not.include('secret');", "    expect(response.body).to.equal('internal error');"),
            ("test/router.spec.js", "    const response = await router.handle('POST', '/users/7');\n    expect(response.status).to.equal(405);", "    const response = await router.handle('POST', '/users/7');\n    expect(response).to.deep.equal({ status: 405, body: 'method not allowed' });"),
        ],
        "optional": [("test/query.spec.js", "", "parseQuery", "'&a'.repeat(30)", "", "'a=1'", "{ a: '1' }")],
        "behaviour": [
            [("lib/query.js", "const LIMIT = 20;", "const LIMIT = 40;"), ("test/query.spec.js", "length: 21", "length: 41")],
            [("lib/router.js", "body: 'internal error'", "body: 'server error'"), ("test/router.spec.js", "    expect(response.body).to.not.include('secret');", "    expect(response.body).to.equal('server error');")],
            [("lib/router.js", "return { status: 200, body };", "return { status: 200, body, headers: {} };"), ("test/router.spec.js", "{ status: 200, body: 'user 7' }", "{ status: 200, body: 'user 7', headers: {} }")],
            [("lib/match.js", "params[name] = decodeURIComponent(match[index + 1]);", "params[name] = decodeURIComponent(match[index + 1]).toLowerCase();"), ("test/match.spec.js", "'/tags/c%2B%2B').tag).to.equal('c++')", "'/tags/C%2B%2B').tag).to.equal('c++')")],
        ],
        "errors": [
            [("lib/router.js", "      this.log(error.message);\n      if (error instanceof HttpError) {\n        return { status: error.status, body: error.message };\n      }", "      this.log(error.message);\n      if (error instanceof HttpError) {\n        return { status: error.status, body: error.message };\n      }\n      if (error instanceof RangeError) {\n        return { status: 400, body: error.message };\n      }")],
            [("lib/match.js", "    params[name] = decodeURIComponent(match[index + 1]);", "    try {\n      params[name] = decodeURIComponent(match[index + 1]);\n    } catch (error) {\n      throw new URIError(`bad parameter ${name}`, { cause: error });\n    }")],
        ],
        "mocks": [
            [("test/router.spec.js", "  it('rejects unknown methods'", "  it('logs nothing when all is well', async () => {\n    await router.handle('GET', '/users/7');\n    expect(log.notCalled).to.equal(true);\n  });\n\n  it('rejects unknown methods'")],
        ],
    },
    "js-textwrap": {
        "dead": ["squeeze"],
        "facts": [
            ("test/wrap.test.js", "wrap('', 10)", "[]"),
            ("test/wrap.test.js", "indent('x')", "'  x'"),
            ("test/wrap.test.js", "truncate('abcd', 4)", "'abcd'"),
            ("test/slug.test.js", "slugify('A')", "'a'"),
            ("test/slug.test.js", "countWords('one')", "1"),
        ],
        "rows": [("test/slug.test.js", "  ['1 + 1', '1-1'],\n", "  ['1 + 1', '1-1'],\n  ['UPPER', 'upper'],\n")],
        "stronger": [
            ("test/wrap.test.js", "    assert.throws(() => wrap('x', 0), RangeError);", "    assert.throws(() => wrap('x', 0), { name: 'RangeError', message: 'width must be positive' });"),
            ("test/slug.test.js", "  assert.throws(() => slugify(5), TypeError);", "  assert.throws(() => slugify(5), { name: 'TypeError', message: 'expected a string' });"),
            ("test/dictionary.test.js", "  await assert.rejects(loadDictionary('x', async () => '\\n'), DictionaryError);", "  await assert.rejects(loadDictionary('x', async () => '\\n'), new DictionaryError('empty dictionary'));"),
        ],
        "optional": [("test/slug.test.js", "", "slugify", "5", "", "'A b'", "'a-b'")],
        "behaviour": [
            [("src/wrap.js", "DEFAULT_WIDTH = 72", "DEFAULT_WIDTH = 80"), ("test/wrap.test.js", "assert.equal(DEFAULT_WIDTH, 72);", "assert.equal(DEFAULT_WIDTH, 80);")],
            [("src/wrap.js", "prefix = '  '", "prefix = '    '"), ("test/wrap.test.js", "'  a\\n  b'", "'    a\\n    b'")],
            [("src/slug.js", "replace(/[^a-z0-9]+/g, '-')", "replace(/[^a-z0-9]+/g, '_')"), ("src/slug.js", "replace(/^-|-$/g, '')", "replace(/^_|_$/g, '')"), ("test/slug.test.js", "'hello-world'", "'hello_world'"),
             ("test/slug.test.js", "'groesse-ueber'", "'groesse_ueber'"), ("test/slug.test.js", "['a  b', 'a-b']", "['a  b', 'a_b']"), ("test/slug.test.js", "['1 + 1', '1-1']", "['1 + 1', '1_1']")],
            [("src/wrap.js", "ellipsis = '…'", "ellipsis = '...'"), ("test/wrap.test.js", "truncate('abcdef', 4), 'abc…'", "truncate('abcdef', 5), 'ab...'"), ("test/wrap.test.js", "truncate('abc', 1)", "truncate('abc', 3)"),
             ("test/slug.test.js", "truncate('abcdef', 4), 'abc…'", "truncate('abcdef', 5), 'ab...'")],
        ],
        "errors": [
            [("src/dictionary.js", "    throw new DictionaryError(`cannot read ${path}`, { cause: error });", "    if (error.code === 'EISDIR') {\n      throw new DictionaryError(`${path} is a folder`, { cause: error });\n    }\n    throw new DictionaryError(`cannot read ${path}`, { cause: error });")],
        ],
        "mocks": [
            [("test/dictionary.test.js", "$", "\ntest('the file is read as text', async () => {\n  await loadDictionary('words.txt', read);\n  assert.deepEqual(read.mock.calls[0].arguments, ['words.txt', 'utf8']);\n});\n")],
        ],
        "fixtures": [
            [("test/dictionary.test.js", "'apple\\n pear \\n\\n'", "'apple\\npear'")],
        ],
    },
    "ts-schema": {
        "dead": ["firstKey"],
        "facts": [
            ("test/primitives.test.ts", "isEmail('a@b.co')", "true"),
            ("test/primitives.test.ts", "maskEmail('x@y.org')", "'x***@y.org'"),
            ("test/primitives.test.ts", "isEmail('')", "false"),
            ("test/object.test.ts", "countKeys({})", "0"),
            ("test/object.test.ts", "isEmail('b@c.de')", "true"),
        ],
        "rows": [
            ("test/primitives.test.ts", "    ['3', false],\n", "    ['3', false],\n    [NaN, false],\n"),
            ("test/object.test.ts", "[null, 5, 'x', undefined]", "[null, 5, 'x', undefined, true]"),
        ],
        "stronger": [
            ("test/object.test.ts", "    const result = person.check({ name: 'Ann', age: 30 });\n    expect(result.ok).toBe(true);", "    const result = person.check({ name: 'Ann', age: 30 });\n    expect(result).toEqual({ ok: true, value: { name: 'Ann', age: 30 } });"),
            ("test/primitives.test.ts", "    expect(() => text({ min: -1 })).toThrow(RangeError);", "    expect(() => text({ min: -1 })).toThrow('min must not be negative');"),
        ],
        "optional": [("test/primitives.test.ts", "", "maskEmail", "'nobody'", "", "'ann@example.org'", "'a***@example.org'")],
        "behaviour": [
            [("src/primitives.ts", "`${name.slice(0, 1)}***@${host}`", "`***@${host}`"), ("test/primitives.test.ts", "'a***@example.org'", "'***@example.org'")],
            [("src/primitives.ts", "'expected text'", "'expected a string'"), ("test/primitives.test.ts", "['expected text']", "['expected a string']")],
            [("src/object.ts", "message: 'unknown key'", "message: `unknown key ${key}`"), ("test/object.test.ts", "toEqual(['unknown key'])", "toEqual(['unknown key x'])")],
            [("src/primitives.ts", "`shorter than ${options.min}`", "`needs ${options.min} characters`"), ("test/primitives.test.ts", "['shorter than 3']", "['needs 3 characters']"),
             ("test/object.test.ts", "['shorter than 1', 'not within 0..150']", "['needs 1 characters', 'not within 0..150']"), ("test/object.test.ts", "'name: shorter than 1'", "'name: needs 1 characters'")],
        ],
        "errors": [
            [("src/object.ts", "  } catch (error) {\n    throw new SchemaError([{ path: '$', message: 'not JSON' }]);", "  } catch (error) {\n    const detail = error instanceof SyntaxError ? 'not JSON' : String(error);\n    throw new SchemaError([{ path: '$', message: detail }]);")],
            [("src/types.ts", "    super(issues.map((issue) => `${issue.path}: ${issue.message}`).join('; '));", "    super(issues.map((issue) => `${issue.path}: ${issue.message}`).join('; '));\n    this.name = 'SchemaError';")],
        ],
        "snapshot": [
            [("src/primitives.ts", "`not within ${min}..${max}`", "`must be within ${min} and ${max}`"), ("test/__snapshots__/object.test.ts.snap", "not within 0..150", "must be within 0 and 150"),
             ("test/object.test.ts", "'not within 0..150'", "'must be within 0 and 150'"), ("test/primitives.test.ts", "'not within 1..6'", "'must be within 1 and 6'")],
            [("src/object.ts", "path ? `${path}.${key}` : key", "path ? `${path}/${key}` : key"), ("test/__snapshots__/object.test.ts.snap", "who.age", "who/age")],
        ],
        "fixtures": [
            [("test/builders.ts", "  name: text({ min: 1 }),\n  age: integer(0, 150),", "  name: text(),\n  age: integer(),"), ("test/object.test.ts", "    expect(messages(result)).toEqual(['shorter than 1', 'not within 0..150']);\n    expect(messages(result)).toHaveLength(2);", "    expect(messages(result)).toEqual([]);")],
            [("test/builders.ts", "  return (result.issues ?? []).map((issue) => issue.message);", "  return (result.issues ?? []).length > 0 ? ['expected text'] : [];")],
        ],
        "more_fixtures": [
            [("test/builders.ts", "$", "\nexport const team = object({ lead: person });\n"), ("test/object.test.ts", "import { messages, person } from './builders';", "import { messages, person, team } from './builders';"),
             ("test/object.test.ts", "  test('may be lenient'", "  test('a team needs a lead', () => {\n    expect(team.check({}).ok).toBe(false);\n  });\n\n  test('may be lenient'")],
        ],
    },
    "ts-badge": {
        "dead": ["halve"],
        "facts": [
            ("src/color.test.ts", "parseColor('#000000')", "[0, 0, 0]"),
            ("src/color.test.ts", "textColor('#000000')", "'#ffffff'"),
            ("src/count.test.ts", "formatCount(0)", "'0'"),
            ("src/count.test.ts", "plural(0, 'day')", "'0 days'"),
            ("src/count.test.ts", "sumCounts([5])", "5"),
        ],
        "rows": [
            ("src/color.test.ts", "['', '#fff', 'red', '#12345g']", "['', '#fff', 'red', '#12345g', '#1234567']"),
            ("src/count.test.ts", "    [NaN, 'count must be finite'],\n", "    [NaN, 'count must be finite'],\n    [-99, 'count must not be negative'],\n"),
        ],
        "stronger": [
            ("src/useUnread.test.ts", "    await expect(loadUnread(source, vi.fn())).rejects.toThrow(RangeError);", "    await expect(loadUnread(source, vi.fn())).rejects.toThrow(new RangeError('negative count'));"),
            ("src/Badge.test.tsx", "    expect(onClose).toHaveBeenCalledTimes(1);", "    expect(onClose).toHaveBeenCalledTimes(1);\n    expect(screen.getByText('Inbox')).toBeDefined();"),
        ],
        "optional": [("src/color.test.ts", "", "parseColor", "'red'", "", "'#102030'", "[16, 32, 48]")],
        "behaviour": [
            [("src/count.ts", "MAX_COUNT = 99", "MAX_COUNT = 999"), ("src/count.test.ts", "formatCount(100)).toBe('99+')", "formatCount(1000)).toBe('999+')"), ("src/Badge.test.tsx", "count={120} />);\n    expect(screen.getByTestId('count').textContent).toBe('99+');", "count={1200} />);\n    expect(screen.getByTestId('count').textContent).toBe('999+');")],
            [("src/color.ts", "'#000000' : '#ffffff'", "'#111111' : '#ffffff'"), ("src/color.test.ts", "toBe('#000000')", "toBe('#111111')"), ("src/count.test.ts", "toBe('#000000')", "toBe('#111111')")],
            [("src/useUnread.ts", "log(`unread: ${", "log(`cannot load: ${"), ("src/useUnread.test.ts", "'unread: offline'", "'cannot load: offline'")],
            [("src/Badge.tsx", 'className="badge"', 'className="tag"'), ("src/Badge.test.tsx", ".className).toBe('badge')", ".className).toBe('tag')"), ("src/Badge.test.tsx", '<span class="badge" style', '<span class="tag" style'), ("src/__snapshots__/Badge.test.tsx.snap", 'class="badge"', 'class="tag"')],
        ],
        "errors": [
            [("src/useUnread.ts", "    log(`unread: ${(error as Error).message}`);\n    throw error;", "    const failure = error instanceof Error ? error : new Error(String(error));\n    log(`unread: ${failure.message}`);\n    throw failure;")],
            [("src/useUnread.ts", "    counts.push(await source.load());", "    try {\n      counts.push(await source.load());\n    } catch (error) {\n      throw new Error(`poll ${i} failed`, { cause: error });\n    }")],
        ],
        "snapshot": [
            [("src/Badge.tsx", '<b data-testid="count">', '<b className="count" data-testid="count">'), ("src/__snapshots__/Badge.test.tsx.snap", "  <b\n    data-testid", "  <b\n    class=\"count\"\n    data-testid")],
            [("src/Badge.tsx", '<b data-testid="count">{formatCount(count)}</b>', '<strong data-testid="count">{formatCount(count)}</strong>'), ("src/__snapshots__/Badge.test.tsx.snap", "  <b\n", "  <strong\n"), ("src/__snapshots__/Badge.test.tsx.snap", "  </b>", "  </strong>")],
            [("src/Badge.tsx", '<span className="badge" style', '<span className="badge badge-small" style'), ("src/Badge.test.tsx", ".className).toBe('badge')", ".className).toBe('badge badge-small')"), ("src/Badge.test.tsx", '<span class="badge" style', '<span class="badge badge-small" style'), ("src/__snapshots__/Badge.test.tsx.snap", 'class="badge"', 'class="badge badge-small"')],
        ],
        "mocks": [
            [("src/useUnread.test.ts", "  it('polls'", "  it('does not log success', async () => {\n    const log = vi.fn();\n    const source = { load: vi.fn().mockResolvedValue(0) };\n    expect(await loadUnread(source, log)).toBe(0);\n    expect(log).not.toHaveBeenCalled();\n  });\n\n  it('polls'")],
        ],
    },
    "ts-graph": {
        "dead": ["quoteName"],
        "facts": [
            ("tests/text.test.ts", "formatPath(['x', 'y', 'z'])", "'x > y > z'"),
            ("tests/text.test.ts", "edgeLabel('x', 'y')", "'x->y'"),
            ("tests/text.test.ts", "parseGraph('a -> b').size", "2"),
            ("tests/paths.test.ts", "shortestPath(map, 'b', 'c')?.cost", "2"),
            ("tests/paths.test.ts", "topologicalOrder(new Graph())", "[]"),
        ],
        "rows": [("tests/paths.test.ts", "    ['d', 'c', 4],\n", "    ['d', 'c', 4],\n    ['a', 'b', 1],\n")],
        "stronger": [
            ("tests/graph.test.ts", "expect(() => graph.addEdge('a', 'b', -1)).toThrow(GraphError);", "expect(() => graph.addEdge('a', 'b', -1)).toThrow('negative weight: -1');"),
            ("tests/graph.test.ts", "expect(() => graph.addNode('')).toThrow(GraphError);", "expect(() => graph.addNode('')).toThrow(new GraphError('a node needs a name'));"),
        ],
        "optional": [("tests/text.test.ts", "", "parseGraph", "'a => b'", "", "'a -> b'", "parseGraph('a -> b')")],
        "behaviour": [
            [("src/text.ts", "nodes.join(' > ')", "nodes.join(' → ')"), ("tests/text.test.ts", "'a > b'", "'a → b'")],
            [("src/graph.ts", "weight = 1)", "weight = 10)"), ("tests/graph.test.ts", "{ from: 'a', to: 'c', weight: 1 }", "{ from: 'a', to: 'c', weight: 10 }")],
            [("src/text.ts", "return `${from}->${to}`;", "return `${from} to ${to}`;"), ("tests/text.test.ts", "toBe('a->b')", "toBe('a to b')")],
            [("src/paths.ts", "`cycle through ${name}`", "`a cycle contains ${name}`"), ("tests/paths.test.ts", "'cycle through x'", "'a cycle contains x'")],
        ],
        "errors": [
            [("src/paths.ts", "      throw new Error(`cycle through ${name}`);", "      const open = [...state].filter(([, value]) => value === 'open').map(([key]) => key);\n      throw new Error(`cycle through ${name}`, { cause: open });")],
            [("src/text.ts", "    graph.addEdge(match[1]!, match[2]!, match[3] ? Number(match[3]) : 1);", "    try {\n      graph.addEdge(match[1]!, match[2]!, match[3] ? Number(match[3]) : 1);\n    } catch (error) {\n      throw new SyntaxError(`cannot add: ${line.trim()}`);\n    }")],
        ],
    },
}
