import assert from 'node:assert/strict';
import test from 'node:test';
import { delayFor, groupFor, isAllowed, toPattern } from '../src/match.js';
import { rules, shop } from './util.js';

const PATHS = [
  ['/admin/', '/admin/users', true],
  ['/admin/', '/administer', false],
  ['/*.pdf$', '/files/a.pdf', true],
  ['/*.pdf$', '/files/a.pdf?page=2', false],
  ['/a?b', '/a?b=1', true],
];

for (const [path, visited, fits] of PATHS) {
  test(`${path} ${fits ? 'covers' : 'does not cover'} ${visited}`, () => {
    assert.equal(toPattern(path).test(visited), fits);
  });
}

test('a rule begins with a slash', () => {
  assert.throws(() => toPattern('admin'), TypeError);
});

test('the named group wins', () => {
  assert.equal(groupFor(shop(), 'Piper/2.1').delay, 2.5);
  assert.deepEqual(groupFor(shop(), 'other').agents, ['*']);
});

test('nobody is named', () => {
  assert.equal(groupFor({ groups: [], sitemaps: [] }, 'piper'), null);
});

test('the longest rule wins', async (t) => {
  await t.test('of a group', () => {
    assert.equal(isAllowed(shop(), 'piper', '/cart/help'), true);
    assert.equal(isAllowed(shop(), 'piper', '/cart/pay'), false);
  });

  await t.test('and allows when equal', () => {
    assert.equal(isAllowed(rules('Disallow: /x', 'Allow: /x'), 'any', '/x'), true);
  });
});

test('what no rule covers is allowed', () => {
  assert.equal(isAllowed(rules('Disallow: /x'), 'any', '/y'), true);
  assert.equal(isAllowed({ groups: [], sitemaps: [] }, 'any', '/x'), true);
});

test('delays belong to the group', () => {
  assert.equal(delayFor(shop(), 'googlebot'), 2.5);
  assert.equal(delayFor(shop(), 'other'), 0);
});

test('a thousand paths are judged in time', { timeout: 2000 }, () => {
  const robots = rules('Disallow: /*a*b*c$', 'Allow: /public');
  const started = performance.now();
  for (let number = 0; number < 1000; number += 1) {
    isAllowed(robots, 'any', `/public/${number}`);
  }
  assert.ok(performance.now() - started < 500);
});
