'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { letters, outline, roman } = require('..');
const { golden } = require('./golden');

test('roman', () => {
  for (const [number, text] of [[1, 'i'], [4, 'iv'], [9, 'ix'], [14, 'xiv'], [40, 'xl'], [1994, 'mcmxciv'], [3999, 'mmmcmxcix']]) {
    assert.equal(roman(number), text);
  }
  for (const number of [0, 4000, 1.5]) assert.throws(() => roman(number), RangeError);
});

test('letters', () => {
  assert.deepEqual([1, 2, 26, 27, 52, 53, 702, 703].map(letters), ['a', 'b', 'z', 'aa', 'az', 'ba', 'zz', 'aaa']);
});

test('outline', () => {
  const items = [
    ['Before you start, read everything', ['twice', ['and once more with a pencil', ['in blue', 'or red']]]],
    'Begin',
  ];
  golden('outline', `${outline(items, 25).join('\n')}\n`);
});
