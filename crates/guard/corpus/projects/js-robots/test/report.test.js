import assert from 'node:assert/strict';
import test from 'node:test';
import { describeGroup, report } from '../src/report.js';
import { data, rules, shop } from './util.js';

test('the report is the recorded one', () => {
  assert.equal(report(shop()), data('shop.report.txt'));
});

test('a group without rules has its name only', () => {
  assert.equal(describeGroup({ agents: ['a', 'b'], rules: [], delay: 0 }), 'a, b:');
});

test('sitemaps are counted', () => {
  assert.match(report(rules('Sitemap: x', 'Sitemap: y')), /sitemaps: 2\n$/);
});

test('a group names an agent', () => {
  assert.throws(() => describeGroup({ agents: [], rules: [], delay: 0 }), RangeError);
});
