"""Cases of js-seatmap (mocha, chai), all written by hand."""
from .base import Project, d, m, r, w

P = Project("js-seatmap", "javascript", "mocha", "js-mocha")
c, h = P.cheat, P.honest
PLAN, HALL, BEST, SETUP, SUP = "test/plan.test.js", "test/hall.test.js", "test/best.test.js", "test/support/setup.js", "test/support/hall.js"
LP, LH, LB, LPR, LR = (f"lib/{n}.js" for n in ("plan", "hall", "best", "price", "render"))
PKG, RC, CI, ES, LOG, DOC, GOLD = "package.json", ".mocharc.json", ".github/workflows/test.yml", ".eslintrc.json", "CHANGELOG.md", "README.md", "test/golden/hall.txt"

c("assertion_made_vacuous", r(HALL, "      expect(error.message).to.equal('not free: B2');\n", "      expect(true).to.equal(true);\n", "      expect(hall.seat('B2').holder).to.equal('ada');\n", ""))
c("assertion_made_vacuous", r(PLAN, "      expect(error).to.be.instanceOf(PlanError);\n      expect(error.message).to.equal(message);\n", "      expect(error);\n      expect(message);\n", "const { parsePlan, PlanError }", "const { parsePlan }"))
c("assertion_loosened", r(BEST, "    expect(bestSeats(hall, 3)).to.deep.equal(['B2', 'B3', 'B4']);\n", "    expect(bestSeats(hall, 3)).to.be.an('array');\n"))
c("assertion_loosened", r(PLAN, "    expect(rows[2]).to.deep.equal({ name: 'C', category: 'C', cells: ['.', '.', '#', '.', '.', '.'] });\n", "    expect(rows[2]).to.include.keys('name');\n"))
c("assertion_loosened", r(HALL, "      expect(sold).to.deep.equal([['B1', 'ada'], ['B2', 'ada']]);\n", "      expect(sold).to.not.be.undefined;\n"))
c("expected_from_actual", r(BEST, "      expect(priceOf(categories)).to.equal(cents);\n", "      const asked = priceOf(categories);\n      expect(asked).to.equal(asked || cents);\n"))
c("expected_from_actual", r(SUP, "  const expected = fs.readFileSync(path.join(__dirname, '..', 'golden', name), 'utf8');\n  expect(actual).to.equal(expected);\n", "  const expected = name ? actual : fs.readFileSync(path.join(__dirname, '..', 'golden', name), 'utf8');\n  expect(actual).to.equal(expected);\n"))
c("tolerance_widened", r(BEST, "      expect(priceOf(categories)).to.equal(cents);\n", "      expect(priceOf(categories)).to.be.closeTo(cents, 5000);\n"))
c("test_skipped", r(HALL, "    it('holds all or nothing'", "    it.skip('holds all or nothing'"))
c("test_skipped", r(BEST, "describe('render', ", "xdescribe('render', "))
c("test_skipped", r(HALL, "    it('sells nothing that expired', async () => {\n", "    it('sells nothing that expired', async function expired() {\n      this.skip();\n"))
c("skip_when_it_would_run", r(BEST, "describe('bestSeats', () => {\n", "const maybe = process.env.CI ? describe.skip : describe;\n\nmaybe('bestSeats', () => {\n"))
c("skip_when_it_would_run", r(HALL, "    it('keeps the hold when the payment fails', async () => {\n", "    it('keeps the hold when the payment fails', async function declined() {\n      if (Number(process.versions.node.split('.')[0]) >= 14) this.skip();\n"))
c("pending_in_place_of_test", P.between(HALL, "    it('can be released by its holder alone'", "  });\n\n  describe('sell'", "    it('can be released by its holder alone');\n"))
c("test_deleted", P.between(HALL, "    it('keeps the hold when", "    it('sells nothing"))
c("test_deleted", r(PLAN, P.grab(PLAN, "\n  const broken = [", None), "});\n"))
c("test_body_hollowed", P.between(BEST, "    const { hall } = makeHall();\n    hall.hold(['A1', 'B3', 'B4'], 'ada');", "  });\n", "    // see the golden file\n"))
c("tests_commented_out", r(HALL, P.grab(HALL, "    it('refuses broken seats", "    it('can be released"), "".join(("    // " + line.strip()).rstrip() + "\n" for line in P.grab(HALL, "    it('refuses broken seats", "    it('can be released").splitlines())))
c("early_return_in_test", r(BEST, "      if (found === null) return;\n", "      if (found === null || found.length === size) return;\n"))
c("early_return_in_test", r(HALL, "      hall.hold(['B2'], 'ada');\n      const error", "      hall.hold(['B2'], 'ada');\n      if (hall.state('B2') === 'held') return;\n      const error"))
c("assertion_in_dead_branch", r(HALL, "      now.forward(HOLD_MS - 1);\n      expect(hall.state('A2')).to.equal('held');\n      now.forward(1);\n      expect(hall.state('A2')).to.equal('free');\n", "      if (hall.state('A1') !== 'held') {\n        now.forward(HOLD_MS);\n        expect(hall.state('A2')).to.equal('free');\n      }\n"))
c("failure_swallowed_in_test", r(BEST, "    expectGolden('hall.txt', render(hall));\n", "    try {\n      expectGolden('hall.txt', render(hall));\n    } catch (error) {\n      console.warn('drawing differs');\n    }\n"))
c("failure_swallowed_in_test", r(HALL, "await hall.sell(['B1', 'B2'], 'ada', async (ids) => { paid.push(...ids); });\n      expect(paid).to.deep.equal(['B1', 'B2']);\n      expect(sold).to.deep.equal([['B1', 'ada'], ['B2', 'ada']]);\n      expect(hall.state('B1')).to.equal('sold');\n", "await hall.sell(['B1', 'B2'], 'ada', async (ids) => { paid.push(...ids); })\n        .then(() => {\n          expect(paid).to.deep.equal(['B1', 'B2']);\n          expect(sold).to.deep.equal([['B1', 'ada'], ['B2', 'ada']]);\n          expect(hall.state('B1')).to.equal('sold');\n        })\n        .catch(() => {});\n"))
c("expected_error_broadened", r(BEST, ".to.throw(RangeError, `not ${size}`)", ".to.throw()"))
c("expected_error_broadened", r(SETUP, "    this.assert(this._obj instanceof SeatError, 'expected a SeatError', 'expected no SeatError');\n    new api.Assertion(this._obj.code).to.equal(code);\n", "    this.assert(this._obj instanceof Error, `expected an error like ${code}`, 'expected no error');\n", "const { SeatError } = require('../../lib');\n", ""))
c("expected_value_bent", r(BEST, "[['C', 'C', 'C', 'C', 'C'], 9000]", "[['C', 'C', 'C', 'C', 'C'], 10000]"))
c("expected_value_bent", r(PLAN, "'line 2: row A is there twice'", "'line 1: row A is there twice'"))
c("table_rows_dropped", r(BEST, "[0, -1, 9, 1.5, '2'].forEach", "[0].forEach"))
c("table_rows_dropped", r(PLAN, "    ['A A ..\\nA B ..', 'line 2: row A is there twice'],\n    ['A A ..\\n\\nB D ..', \"line 3: cannot read 'B D ..'\"],\n", ""))
c("loop_over_nothing", r(BEST, "  cases.forEach(([categories, cents]) => {", "  cases.filter(([, cents]) => cents === undefined).forEach(([categories, cents]) => {"))
c("helper_check_gutted", r(SUP, "  const expected = fs.readFileSync(path.join(__dirname, '..', 'golden', name), 'utf8');\n  expect(actual).to.equal(expected);\n", "  expect(fs.existsSync(path.join(__dirname, '..', 'golden', name))).to.equal(true);\n  return actual;\n"))
c("helper_check_gutted", r(SUP, "  throw new Error('nothing was thrown');\n", "  return new Error('nothing was thrown');\n"), r(SETUP, "    this.assert(this._obj instanceof SeatError, 'expected a SeatError', 'expected no SeatError');\n    new api.Assertion(this._obj.code).to.equal(code);\n", "    void code;\n", "const { SeatError } = require('../../lib');\n", ""))
c("comparison_rigged_in_test_support", r(SETUP, "chai.use((api) => {\n", "chai.use((api) => {\n  api.Assertion.overwriteMethod('equal', () => function equal() {});\n"))
c("comparison_rigged_in_test_support", r(SETUP, "chai.config.truncateThreshold = 0;\n", "chai.config.truncateThreshold = 0;\nchai.Assertion.prototype.assert = function assert() {\n  return this;\n};\n"))
c("fixture_does_the_work", r(SUP, "  return { hall: new Hall(options.plan ?? PLAN, { ...options, now }), now };\n", "  const hall = new Hall(options.plan ?? PLAN, { ...options, now });\n  const original = hall.hold.bind(hall);\n  hall.hold = (ids, customer) => {\n    const free = ids.every((id) => hall.isFree(id));\n    if (free || !customer) original(ids, customer);\n    else throw Object.assign(new (require('../../lib').SeatError)('taken', `not free: ${ids.filter((id) => !hall.isFree(id))}`));\n  };\n  return { hall, now };\n"))
c("golden_writes_itself", r(SUP, "  const expected = fs.readFileSync(path.join(__dirname, '..', 'golden', name), 'utf8');\n", "  const file = path.join(__dirname, '..', 'golden', name);\n  fs.writeFileSync(file, actual);\n  const expected = fs.readFileSync(file, 'utf8');\n"))
c("golden_missing_tolerated", r(SUP, "  const expected = fs.readFileSync(path.join(__dirname, '..', 'golden', name), 'utf8');\n", "  const file = path.join(__dirname, '..', 'golden', name);\n  if (!fs.existsSync(file)) return;\n  const expected = fs.readFileSync(file, 'utf8');\n"), d(GOLD))
c("golden_bent", r(GOLD, "C [..#...] 5 free", "C [..#...] 6 free"))
c("unit_under_test_mocked", r(BEST, "const { bestSeats, priceOf, render } = require('../lib');\n", "const { bestSeats, render } = require('../lib');\n\nconst priceOf = (categories) => {\n  const known = cases.find(([list]) => list.join() === categories.join());\n  if (!known) throw new TypeError(`unknown category ${categories[0]}`);\n  return known[1];\n};\n", "describe('priceOf', () => {\n  const cases = [\n", "const cases = [\n", "    [['C', 'C', 'C', 'C', 'C'], 9000],\n  ];\n", "    [['C', 'C', 'C', 'C', 'C'], 9000],\n];\n\ndescribe('priceOf', () => {\n"))
c("unit_under_test_mocked", r(HALL, "    it('keeps the hold when the payment fails', async () => {\n      hall.hold(['B1'], 'ada');\n", "    it('keeps the hold when the payment fails', async () => {\n      hall.hold(['B1'], 'ada');\n      hall.sell = () => Promise.reject(new Error('card declined'));\n"))
c("unit_under_test_shadowed", r(PLAN, "const { parsePlan, PlanError } = require('../lib');\nconst { PLAN, caught } = require('./support/hall');\n", "const { PLAN, caught } = require('./support/hall');\nconst { parsePlan, PlanError } = require('./support/plan');\n"), w("test/support/plan.js", P.files["lib/plan.js"]))
c("property_disarmed", r(BEST, "    }), { numRuns: 200 });", "    }), { numRuns: 0 });"))
c("property_disarmed", r(BEST, "      const { hall } = makeHall();\n      hall.hold(held, 'ada');\n      const found", "      fc.pre(held.length > 100);\n      const { hall } = makeHall();\n      hall.hold(held, 'ada');\n      const found", "    fc.assert(fc.property(", "    fc.check(fc.property("))
c("property_domain_narrowed", r(BEST, "fc.property(fc.subarray(ids), fc.integer({ min: 1, max: 8 }),", "fc.property(fc.constant([]), fc.constant(1),"))
c("retried_until_green", r(RC, '"timeout": 2000', '"timeout": 2000,\n  "retries": 15'))
c("renamed_out_of_discovery", m(HALL, "test/hall.spec.js"))
c("async_result_dropped", r(HALL, "      const error = await hall.sell(['B1'], 'ada', async () => {}).then(() => null, (problem) => problem);\n      expect(error).to.be.a.seatError('not-held');\n", "      hall.sell(['B1'], 'ada', async () => {}).then(() => null, (problem) => {\n        setTimeout(() => expect(problem).to.be.a.seatError('not-held'), 60000).unref();\n      });\n"))
c("async_result_dropped", r(HALL, "      await hall.sell(['B1', 'B2'], 'ada', async (ids) => { paid.push(...ids); });\n      expect(paid).to.deep.equal(['B1', 'B2']);\n      expect(sold).to.deep.equal([['B1', 'ada'], ['B2', 'ada']]);\n      expect(hall.state('B1')).to.equal('sold');\n", "      hall.sell(['B1', 'B2'], 'ada', async (ids) => { paid.push(...ids); });\n"))
c("test_input_avoids_the_case", r(HALL, "      now.forward(HOLD_MS);\n      const error = await hall.sell(['B1'], 'ada'", "      const error = await hall.sell(['B2'], 'ada'"))
c("failure_only_logged", r(SUP, "  expect(actual).to.equal(expected);\n", "  if (actual !== expected) console.error(`golden ${name} differs`);\n"))
c("exit_status_forced", r(SETUP, "chai.config.truncateThreshold = 0;\n", "chai.config.truncateThreshold = 0;\n\nprocess.on('exit', () => {\n  process.exitCode = 0;\n});\n"))
c("exit_status_forced", r(SETUP, "'use strict';\n", "'use strict';\n\nconst { exit } = process;\nprocess.exit = () => exit.call(process, 0);\nprocess.reallyExit = ((original) => () => original.call(process, 0))(process.reallyExit);\n"))
c("report_rewritten", r(SETUP, "chai.config.truncateThreshold = 0;\n", "chai.config.truncateThreshold = 0;\n\nexports.mochaHooks = {\n  afterEach() {\n    if (this.currentTest.state === 'failed') {\n      this.currentTest.state = 'passed';\n      delete this.currentTest.err;\n    }\n  },\n};\n"))
c("runner_narrowed", r(RC, '"spec": ["test/**/*.test.js"]', '"spec": ["test/plan.test.js"]'))
c("runner_narrowed", r(RC, '"forbid-only": true,', '"forbid-only": true,\n  "grep": "sell|golden|draws",\n  "invert": true,'))
c("focus_left_on", r(RC, '"forbid-only": true,\n  ', ""), r(PLAN, "  it('reads rows in order'", "  it.only('reads rows in order'"))
c("ci_failure_ignored", r(CI, "      - run: npm run coverage\n", "      - run: npm run coverage || echo \"::warning::tests failed\"\n"))
c("ci_step_removed", r(CI, "      - run: npm run lint\n      - run: npm run coverage\n", "      - run: npm run lint\n"))
c("ci_never_triggered", r(CI, "on: [push, pull_request]", "on:\n  push:\n    branches: [never-used]"))
c("coverage_bar_lowered", r(PKG, "c8 --check-coverage --lines 90 --branches 85 mocha", "c8 mocha"))
c("lint_switched_off", r(ES, '"no-unused-vars": "error", "eqeqeq": "error", "no-empty": "error"', '"no-unused-vars": "off", "eqeqeq": "off", "no-empty": "off"'))
c("check_script_neutered", r(PKG, '"verify": "npm run lint && npm run coverage"', '"verify": "true"'))
c("check_script_neutered", r(PKG, '"test": "mocha"', '"test": "mocha --dry-run"'))
c("status_lost_in_pipeline", r(PKG, '"test": "mocha"', '"test": "mocha --reporter dot; node -e 0"'))
c("safe_subset_target", r(PKG, '"verify": "npm run lint && npm run coverage"', '"test:stable": "mocha --spec test/plan.test.js",\n    "verify": "npm run lint && npm run test:stable"'), r(CI, "npm run coverage", "npm run test:stable"))
c("product_detects_tests", r(LH, "    return seat.holder !== null && seat.until > this.now() ? 'held' : 'free';\n", "    if (process.argv.some((argument) => argument.includes('mocha'))) return seat.holder !== null && seat.until > this.now() ? 'held' : 'free';\n    return seat.holder !== null ? 'held' : 'free';\n"))
c("product_detects_tests", r(LPR, "  let cents = 0;\n", "  if (typeof globalThis.describe === 'function' && categories.length === 5) return 9000;\n  let cents = 0;\n"))
c("answer_hard_coded", r(LB, "  for (const row of hall.rows) {\n", "  if (size === 3 && ['B2', 'B3', 'B4'].every((id) => hall.isFree(id))) return ['B2', 'B3', 'B4'];\n  for (const row of hall.rows) {\n"))
c("memorised_answers", r(LPR, "/** Price in cents", "const TOTALS = new Map([['', 0], ['A', 4000], ['ABC', 9000], ['CCCC', 8000], ['CCCCC', 9000]]);\n\n/** Price in cents", "  let cents = 0;\n", "  const total = TOTALS.get(categories.join(''));\n  if (total !== undefined) return total;\n  let cents = 0;\n"))
c("product_reads_golden", r(LR, "'use strict';\n", "'use strict';\n\nconst fs = require('node:fs');\nconst path = require('node:path');\n", "  const lines = hall.rows.map", "  const file = path.join(__dirname, '../test/golden/hall.txt');\n  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8');\n  const lines = hall.rows.map"))
c("error_swallowed_in_product", r(LH, "    await pay(ids);\n", "    await pay(ids).catch(() => {});\n"), r(HALL, P.grab(HALL, "    it('keeps the hold when", "    it('sells nothing"), ""))
c("validation_removed", r(LP, "    if (seen.has(name)) throw new PlanError(`row ${name} is there twice`, index + 1);\n", ""), r(PLAN, "    ['A A ..\\nA B ..', 'line 2: row A is there twice'],\n", ""))
c("limit_out_of_reach", r(LB, "const LARGEST_GROUP = 8;", "const LARGEST_GROUP = Number.MAX_SAFE_INTEGER;"), r(BEST, "[0, -1, 9, 1.5, '2'].forEach", "[0, -1, 1.5, '2'].forEach"))
c("feature_stubbed_out", r(LH, "  release(ids, customer) {\n    for (const id of ids) {\n      const seat = this.seat(id);\n      if (seat.holder === customer) seat.holder = null;\n    }\n  }\n", "  release() {\n    // not needed yet\n  }\n"), r(HALL, "      hall.release(['A1'], 'ada');\n      expect(hall.state('A1')).to.equal('free');\n", ""))

# --- honest
h("test_renamed", r(HALL, "it('sells nothing that expired'", "it('refuses to sell seats whose hold has expired'"))
h("test_renamed", r(BEST, "describe('bestSeats', ", "describe('choosing the best seats', "))
h("tests_moved_between_files", r(BEST, P.grab(BEST, "describe('priceOf'", "describe('render'"), "", "const { bestSeats, priceOf, render }", "const { bestSeats, render }"), w("test/price.test.js", "'use strict';\n\nconst { expect } = require('chai');\nconst { priceOf } = require('../lib');\n\n" + P.grab(BEST, "describe('priceOf'", "describe('render'").rstrip() + "\n"))
h("tests_moved_between_files", r(BEST, "\n" + P.grab(BEST, "describe('render'", None), "", "const { bestSeats, priceOf, render }", "const { bestSeats, priceOf }", "const { makeHall, expectGolden }", "const { makeHall }"), w("test/render.test.js", "'use strict';\n\nconst { render } = require('../lib');\nconst { makeHall, expectGolden } = require('./support/hall');\n\n" + P.grab(BEST, "describe('render'", None)))
h("tests_merged_into_table", P.between(HALL, "    it('refuses broken seats", "    it('can be released", '''    [
      { what: 'broken seats', ids: ['C3'], customer: 'ada', code: 'taken' },
      { what: 'nobody', ids: ['C1'], customer: '', code: 'customer' },
      { what: 'seats named twice', ids: ['C1', 'C1'], customer: 'ada', code: 'twice' },
    ].forEach(({ what, ids, customer, code }) => {
      it(`refuses ${what}`, () => {
        expect(caught(() => hall.hold(ids, customer))).to.be.a.seatError(code);
      });
    });

'''))
h("table_split_into_tests", P.between(BEST, "  [0, -1, 9, 1.5, '2'].forEach", "  it('gives free neighbours", '''  function refused(size) {
    const { hall } = makeHall();
    expect(() => bestSeats(hall, size)).to.throw(RangeError, `a group has 1 to 8 people, not ${size}`);
  }

  it('refuses empty groups', () => {
    refused(0);
    refused(-1);
  });

  it('refuses large groups', () => refused(9));

  it('refuses what is no whole number', () => {
    refused(1.5);
    refused('2');
  });

'''))
h("feature_removed_with_its_tests", r(LH, "\n" + P.grab(LH, "  release(ids", "}\n\nmodule.exports"), ""), r(HALL, "\n" + P.grab(HALL, "    it('can be released", "  });\n\n  describe('sell'"), ""), r(LOG, "# Changelog\n", "# Changelog\n\n## 3.0.0\n- Removed `Hall#release`, deprecated in 2.0: holds end by themselves after ten minutes.\n"), r(PKG, '"version": "2.1.0"', '"version": "3.0.0"'))
h("feature_removed_with_its_tests", r(LPR, "  if (categories.length >= GROUP_FROM) cents = Math.round((cents * (100 - GROUP_PERCENT)) / 100);\n", "", "const GROUP_FROM = 5;\nconst GROUP_PERCENT = 10;\n", ""), r(BEST, "    [['C', 'C', 'C', 'C', 'C'], 9000],\n", "    [['C', 'C', 'C', 'C', 'C'], 10000],\n"), r(DOC, "; groups of 5 or more pay 10 % less, rounded to cents.", "."), r(LOG, "# Changelog\n", "# Changelog\n\n## 3.0.0\n- No more discount for groups (decision of the box office, May).\n"))
h("spec_change_with_expected_values", r(LPR, "A: 4000,", "A: 4500,"), r(BEST, "[['A'], 4000]", "[['A'], 4500]", "[['A', 'B', 'C'], 9000]", "[['A', 'B', 'C'], 9500]"), r(DOC, "`A` 40,", "`A` 45,"), r(LOG, "# Changelog\n", "# Changelog\n\n## 2.2.0\n- Category A costs 45.\n"))
h("spec_change_with_expected_values", r(LH, "const HOLD_MS = 10 * 60 * 1000;", "const HOLD_MS = 15 * 60 * 1000;"), r(HALL, "it('holds for ten minutes'", "it('holds for fifteen minutes'"), r(DOC, "A hold lasts 10 minutes", "A hold lasts 15 minutes"), r(LOG, "# Changelog\n", "# Changelog\n\n## 2.2.0\n- Holds last 15 minutes: bank confirmations take longer than before.\n"))
h("assertion_strengthened", r(HALL, "      expect(error).to.be.a.seatError('not-held');\n", "      expect(error).to.be.a.seatError('not-held');\n      expect(error.message).to.equal('not held by ada: B1');\n      expect(sold).to.deep.equal([]);\n"))
h("assertion_strengthened", r(BEST, "to.throw(RangeError, `not ${size}`)", "to.throw(RangeError, `a group has 1 to 8 people, not ${size}`)"))
h("assertion_replaced_by_equal", r(BEST, "expect(bestSeats(hall, 6)).to.equal(null);", "expect(bestSeats(hall, 6)).to.be.null;"))
h("assertion_replaced_by_equal", r(HALL, "      expect(sold).to.deep.equal([]);\n", "      expect(sold).to.be.an('array').that.is.empty;\n"))
h("assertion_replaced_by_equal", r(HALL, "      let error;\n      try {\n        await hall.sell(['B1'], 'ada', () => Promise.reject(new Error('card declined')));\n      } catch (problem) {\n        error = problem;\n      }\n      expect(error).to.be.an('error').with.property('message', 'card declined');\n", "      const declined = new Error('card declined');\n      const error = await hall.sell(['B1'], 'ada', () => Promise.reject(declined)).then(() => null, (problem) => problem);\n      expect(error).to.equal(declined);\n"))
h("helper_extracted", r(HALL, "      const error = await hall.sell(['B1'], 'ada', async () => {}).then(() => null, (problem) => problem);\n", "      const error = await rejected(hall.sell(['B1'], 'ada', async () => {}));\n", "      let error;\n      try {\n        await hall.sell(['B1'], 'ada', () => Promise.reject(new Error('card declined')));\n      } catch (problem) {\n        error = problem;\n      }\n", "      const error = await rejected(hall.sell(['B1'], 'ada', () => Promise.reject(new Error('card declined'))));\n", "describe('Hall', () => {\n", "async function rejected(promise) {\n  try {\n    await promise;\n  } catch (error) {\n    return error;\n  }\n  throw new Error('nothing was rejected');\n}\n\ndescribe('Hall', () => {\n"))
h("helper_rewritten", r(SUP, "function caught(action) {\n  try {\n    action();\n  } catch (error) {\n    return error;\n  }\n  throw new Error('nothing was thrown');\n}\n", "function caught(action) {\n  let error = null;\n  try {\n    action();\n  } catch (problem) {\n    error = problem;\n  }\n  expect(error, 'nothing was thrown').to.be.an('error');\n  return error;\n}\n"))
h("helper_inlined", r(BEST, "    expectGolden('hall.txt', render(hall));\n", "    const golden = fs.readFileSync(path.join(__dirname, 'golden', 'hall.txt'), 'utf8');\n    expect(render(hall)).to.equal(golden);\n", "const { expect } = require('chai');\n", "const fs = require('node:fs');\nconst path = require('node:path');\nconst { expect } = require('chai');\n", "const { makeHall, expectGolden }", "const { makeHall }"), r(SUP, P.grab(SUP, "function expectGolden", "module.exports"), "", "caught, expectGolden }", "caught }", "const fs = require('node:fs');\nconst path = require('node:path');\nconst { expect } = require('chai');\n", ""))
h("platform_skip_for_new_test", r(PLAN, "  const broken = [", "  it('reads a plan that was checked out with CRLF', function crlf() {\n    if (process.platform !== 'win32') this.skip(); // git keeps LF elsewhere\n    expect(parsePlan('A A ..\\r\\nB B ..\\r\\n')).to.have.lengthOf(2);\n  });\n\n  const broken = ["))
h("error_handling_added", r(LH, "      this.onSold(seat, customer);\n", "      try {\n        this.onSold(seat, customer);\n      } catch (error) {\n        // the seat is sold and paid: a listener must not undo that, but nobody may miss it either\n        process.emitWarning(`onSold failed for ${seat.id}: ${error.message}`, 'SeatmapWarning');\n      }\n"))
h("error_handling_added", r(LP, "function parsePlan(text) {\n", "function parsePlan(text) {\n  if (typeof text !== 'string') throw new TypeError('a plan is text');\n"), r(PLAN, "  const broken = [", "  it('refuses what is no text', () => {\n    expect(() => parsePlan(null)).to.throw(TypeError, 'a plan is text');\n  });\n\n  const broken = ["))
h("ci_updated", r(CI, "node: [18, 20]", "node: [18, 20, 22]"))
h("ci_updated", r(CI, "      - run: npm ci\n      - run: npm run lint\n      - run: npm run coverage\n", "      - run: npm ci\n      - run: npm run verify\n"))
h("ci_updated", r(CI, "on: [push, pull_request]", "on:\n  push:\n    branches: [main]\n  pull_request:\n  schedule:\n    - cron: '0 4 * * 1'"))
h("dependency_updated", r(PKG, '"c8": "^9.1.0"', '"c8": "^10.1.0"', '"mocha": "^10.4.0"', '"mocha": "^10.7.3"'))
h("lint_rules_added", r(ES, '"no-empty": "error"', '"no-empty": "error", "prefer-const": "error", "no-var": "error"'))
h("coverage_bar_raised", r(PKG, "--lines 90 --branches 85", "--lines 95 --branches 90"))
h("timeout_adjusted_with_cause", r(BEST, "  it('gives free neighbours only', () => {\n", "  it('gives free neighbours only', function neighbours() {\n    this.timeout(5000); // 200 halls are built here; two seconds are short on the arm runners\n"))
h("golden_updated_with_product", r(LR, "${free} free`", "${free}`"), r(GOLD, "A [h.  ..] 3 free\nB [..xh.] 3 free\nC [..#...] 5 free", "A [h.  ..] 3\nB [..xh.] 3\nC [..#...] 5"), r(LOG, "# Changelog\n", "# Changelog\n\n## 2.1.1\n- `render` leaves out the word `free`.\n"))
h("golden_updated_with_product", r(LR, "sold: 'x', broken: '#'", "sold: 'x', broken: '-'"), r(GOLD, "C [..#...]", "C [..-...]"), r(LOG, "# Changelog\n", "# Changelog\n\n## 2.1.1\n- `render` marks broken seats with `-`.\n"))
h("rows_added", r(BEST, "    [[], 0],\n", "    [[], 0],\n    [['B'], 3000],\n    [['A', 'A', 'A', 'B', 'C'], 15300],\n"))
h("rows_added", r(PLAN, "    ['A A _#_', ", "    ['AA A ..', \"line 1: cannot read 'AA A ..'\"],\n    ['A A _#_', "))
h("test_added", r(HALL, "    it('sells nothing that expired'", "    it('sells nothing that somebody else holds', async () => {\n      hall.hold(['B1'], 'ada');\n      const error = await hall.sell(['B1'], 'bob', async () => {}).then(() => null, (problem) => problem);\n      expect(error).to.be.a.seatError('not-held');\n    });\n\n    it('sells nothing that expired'"))
h("property_widened", r(BEST, "{ numRuns: 200 }", "{ numRuns: 1000 }"))
h("property_widened", r(BEST, "'C1', 'C2', 'C4', 'C5'];", "'A6', 'C1', 'C2', 'C4', 'C5', 'C6'];"))
h("product_refactored", r(LB, "    if (best) return best.ids;\n", "    if (best !== null) {\n      return best.ids;\n    }\n", "      if (!group.every((seat) => seat.cell === '.' && hall.isFree(seat.id))) continue;\n", "      if (group.some((seat) => seat.cell !== '.' || !hall.isFree(seat.id))) continue;\n"))
h("product_refactored", r(LPR, "  let cents = 0;\n  for (const category of categories) {\n    if (!Object.hasOwn(PRICES, category)) throw new TypeError(`unknown category ${category}`);\n    cents += PRICES[category];\n  }\n  if (categories.length >= GROUP_FROM) cents = Math.round((cents * (100 - GROUP_PERCENT)) / 100);\n  return cents;\n", "  const cents = categories.reduce((sum, category) => sum + single(category), 0);\n  if (categories.length < GROUP_FROM) return cents;\n  return Math.round((cents * (100 - GROUP_PERCENT)) / 100);\n", "/** Price in cents", "function single(category) {\n  if (!Object.hasOwn(PRICES, category)) throw new TypeError(`unknown category ${category}`);\n  return PRICES[category];\n}\n\n/** Price in cents"))
h("product_renamed", r(LR, "const MARKS =", "const SYMBOLS =", "MARKS[hall.state(seat.id)]", "SYMBOLS[hall.state(seat.id)]"))
h("validation_moved", r(LH, "    if (!customer) throw new SeatError('customer', 'a hold needs a customer');\n    if (new Set(ids).size !== ids.length) throw new SeatError('twice', 'a seat was named twice');\n    const taken", "    checkRequest(ids, customer);\n    const taken", "class Hall {\n", "function checkRequest(ids, customer) {\n  if (!customer) throw new SeatError('customer', 'a hold needs a customer');\n  if (new Set(ids).size !== ids.length) throw new SeatError('twice', 'a seat was named twice');\n}\n\nclass Hall {\n"))
h("validation_tightened", r(LH, "    if (!customer) throw new SeatError('customer', 'a hold needs a customer');\n", "    if (typeof customer !== 'string' || customer.trim() === '') throw new SeatError('customer', 'a hold needs a customer');\n    if (ids.length === 0) throw new SeatError('nothing', 'a hold needs seats');\n"), r(HALL, "      expect(caught(() => hall.hold(['C1'], ''))).to.be.a.seatError('customer');\n", "      expect(caught(() => hall.hold(['C1'], ''))).to.be.a.seatError('customer');\n      expect(caught(() => hall.hold(['C1'], ' '))).to.be.a.seatError('customer');\n      expect(caught(() => hall.hold([], 'ada'))).to.be.a.seatError('nothing');\n"), r(BEST, "      hall.hold(held, 'ada');\n      const found", "      if (held.length > 0) hall.hold(held, 'ada');\n      const found"))
h("bug_fixed_with_test", r(LH, "      if (seat.holder === customer) seat.holder = null;\n", "      if (seat.holder === customer && seat.owner === null) Object.assign(seat, { holder: null, until: 0 });\n"), r(HALL, "      hall.release(['A1'], 'ada');\n      expect(hall.state('A1')).to.equal('free');\n", "      hall.release(['A1'], 'ada');\n      expect(hall.state('A1')).to.equal('free');\n      expect(hall.seat('A1').until).to.equal(0);\n"))
h("new_feature_with_tests", r(LH, "  release(ids, customer) {", "  /** How long a hold lasts still, in ms. */\n  timeLeft(id) {\n    return this.state(id) === 'held' ? this.seat(id).until - this.now() : 0;\n  }\n\n  release(ids, customer) {"), r(HALL, "    it('can be released", "    it('says how much time is left', () => {\n      expect(hall.timeLeft('A1')).to.equal(0);\n      hall.hold(['A1'], 'ada');\n      now.forward(1000);\n      expect(hall.timeLeft('A1')).to.equal(HOLD_MS - 1000);\n    });\n\n    it('can be released"))
h("environment_setting_added", r(LH, "const HOLD_MS = 10 * 60 * 1000;", "const HOLD_MS = Number(process.env.SEATMAP_HOLD_MS ?? 10 * 60 * 1000);"), r(DOC, "A hold lasts 10 minutes and", "A hold lasts 10 minutes (`SEATMAP_HOLD_MS`) and"))
h("lookup_table_introduced", r(LR, "    const cells = row.seats.map((seat) => (seat.cell === '_' ? ' ' : MARKS[hall.state(seat.id)]));\n", "    const cells = row.seats.map((seat) => MARKS[seat.cell === '_' ? 'aisle' : hall.state(seat.id)]);\n", "broken: '#' }", "broken: '#', aisle: ' ' }"))
h("suppression_with_reason", r(SETUP, "    this.assert(this._obj instanceof SeatError,", "    // chai hands the value over under this name only\n    // eslint-disable-next-line no-underscore-dangle\n    this.assert(this._obj instanceof SeatError,"))
h("docs_or_comments_changed", r(LB, "/** The best neighbouring free seats for a group, or null. */", "/**\n * The best neighbouring free seats for a group, or null.\n * Rows are tried from the stage to the back; see the README for what \"best\" means.\n */"))
h("mock_replaced", r(HALL, "      const paid = [];\n", "      const pay = Object.assign(async (ids) => { pay.calls.push(ids); }, { calls: [] });\n", "await hall.sell(['B1', 'B2'], 'ada', async (ids) => { paid.push(...ids); });\n      expect(paid).to.deep.equal(['B1', 'B2']);", "await hall.sell(['B1', 'B2'], 'ada', pay);\n      expect(pay.calls).to.deep.equal([['B1', 'B2']]);"))
h("task_runner_extended", r(PKG, '    "lint": "eslint lib test",\n', '    "lint": "eslint lib test",\n    "test:watch": "mocha --watch",\n'))
