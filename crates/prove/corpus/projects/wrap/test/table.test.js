'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { table, totals } = require('..');
const { golden } = require('./golden');

test('planets', () => {
  golden('planets', table(['Planet', 'Moons', 'Day'], [['Mercury', 0, '1,408 h'], ['Earth', 1, '24 h'], ['Jupiter', 95, '9.9 h']]));
});

test('missing cells', () => {
  assert.equal(table(['a', 'b'], [[null, 1], ['x', undefined]]), 'a  b\n-  -\n   1\nx\n');
});

test('wide cells are cut', () => {
  assert.equal(table(['a'], [['abcdefgh']], { most: 5 }), 'a\n-----\nabcd…\n');
});

test('rows of the wrong size', () => {
  assert.throws(() => table(['a', 'b'], [['1', '2'], ['3']]), /row 2 has 1 cells instead of 2/);
});

test('totals', () => {
  assert.deepEqual(totals([['a', '1,000', 2, '5%'], ['b', '-1', 0.5, '6%']]), [null, 999, 2.5, null]);
  assert.deepEqual(totals([['1'], [null], ['2']]), [null]);
});
