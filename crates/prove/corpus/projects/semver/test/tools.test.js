import assert from 'node:assert/strict';
import { test } from 'node:test';

import { best, bump, difference, groups, sort } from '../src/tools.js';

test('sort', () => {
  assert.deepEqual(sort(['1.10.0', '1.9.0', '1.9.0-a']), ['1.9.0-a', '1.9.0', '1.10.0']);
  assert.deepEqual(sort(['1.0.0', '2.0.0'], { descending: true }), ['2.0.0', '1.0.0']);
});

test('best', () => {
  assert.equal(best(['1.2.0', '1.10.0', '2.0.0'], '^1'), '1.10.0');
  assert.equal(best(['1.2.0'], '^2'), null);
});

test('bump', () => {
  for (const [text, kind, next] of [
    ['1.2.3', 'major', '2.0.0'],
    ['1.2.3', 'minor', '1.3.0'],
    ['1.2.3', 'patch', '1.2.4'],
    ['2.0.0-rc.1', 'major', '2.0.0'],
    ['1.3.0-rc.1', 'minor', '1.3.0'],
    ['1.2.4-rc.1', 'patch', '1.2.4'],
    ['1.2.4-rc.1', 'minor', '1.3.0'],
    ['1.2.3', 'beta', '1.2.4-beta.0'],
    ['1.2.4-beta.0', 'beta', '1.2.4-beta.1'],
    ['1.2.4-beta.3', 'rc', '1.2.4-rc.0'],
    ['1.2.4-beta', 'beta', '1.2.4-beta.0'],
  ]) {
    assert.equal(bump(text, kind), next, `${text} ${kind}`);
  }
  assert.throws(() => bump('1.0.0', 'X1'), /unknown kind/);
});

test('difference', () => {
  assert.equal(difference('1.2.3', '2.2.3'), 'major');
  assert.equal(difference('1.2.3', '1.3.0'), 'minor');
  assert.equal(difference('1.2.3', '1.2.4'), 'patch');
  assert.equal(difference('1.2.3', '1.2.3-a'), 'pre');
  assert.equal(difference('1.2.3', '1.2.3+b'), null);
});

test('groups', () => {
  assert.deepEqual([...groups(['2.1.0', '1.0.0', '2.0.0'])], [[1, ['1.0.0']], [2, ['2.0.0', '2.1.0']]]);
});
