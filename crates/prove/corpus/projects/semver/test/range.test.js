import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Range, satisfies } from '../src/range.js';

const TABLE = [
  // range, versions inside, versions outside
  ['1.2.3', ['1.2.3', '1.2.3+b'], ['1.2.4', '1.2.3-a']],
  ['^1.2.3', ['1.2.3', '1.99.0'], ['1.2.2', '2.0.0', '2.0.0-a']],
  ['^0.2.3', ['0.2.9'], ['0.3.0', '1.0.0']],
  ['^0.0.3', ['0.0.3'], ['0.0.4']],
  ['^0.0', ['0.0.9'], ['0.1.0']],
  ['~1.2.3', ['1.2.9'], ['1.3.0', '1.2.2']],
  ['~1', ['1.9.9'], ['2.0.0', '0.9.0']],
  ['1.2', ['1.2.0', '1.2.7'], ['1.3.0']],
  ['1.x', ['1.0.0', '1.9.0'], ['2.0.0']],
  ['*', ['0.0.0', '9.9.9'], ['1.0.0-a']],
  ['', ['3.0.0'], []],
  ['>1.2', ['1.3.0'], ['1.2.9']],
  ['<=1.2', ['1.2.9', '0.1.0'], ['1.3.0']],
  ['>= 1.0.0 <2.0.0', ['1.0.0', '1.9.9'], ['2.0.0', '0.9.9']],
  ['1.2 - 2.3.4', ['1.2.0', '2.3.4'], ['2.3.5', '1.1.9']],
  ['1.2 - 2', ['2.9.9'], ['3.0.0']],
  ['1.x || >=3.1', ['1.5.0', '3.1.0', '7.0.0'], ['2.0.0', '3.0.9']],
  ['>=1.0.0-beta.2', ['1.0.0-beta.3', '1.0.0', '1.1.0'], ['1.0.0-beta.1', '1.1.0-rc.1']],
];

for (const [range, inside, outside] of TABLE) {
  test(`range '${range}'`, () => {
    for (const version of inside) assert.equal(satisfies(version, range), true, version);
    for (const version of outside) assert.equal(satisfies(version, range), false, version);
  });
}

test('bad ranges', () => {
  for (const text of ['banana', '^', '>1.2.3.4', '1.2.3 || x.y']) assert.throws(() => new Range(text), /not a range/);
});
