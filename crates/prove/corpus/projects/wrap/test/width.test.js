'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { pad, plain, take, truncate, width } = require('..');

test('width', () => {
  for (const [text, columns] of [['', 0], ['abc', 3], ['日本', 4], ['e\u0301', 1], ['\u001b[31mred\u001b[0m', 3], ['🙂', 2]]) {
    assert.equal(width(text), columns, text);
  }
});

test('plain', () => {
  assert.equal(plain('\u001b[1;32mok\u001b[0m!'), 'ok!');
});

test('take', () => {
  assert.equal(take('abcdef', 4), 'abcd');
  assert.equal(take('日本語', 5), '日本');
  assert.equal(take('e\u0301e', 1), 'e\u0301');
});

test('pad', () => {
  assert.equal(pad('ab', 5), 'ab   ');
  assert.equal(pad('ab', 5, 'right'), '   ab');
  assert.equal(pad('ab', 5, 'center'), ' ab  ');
  assert.equal(pad('日', 3), '日 ');
  assert.equal(pad('long', 2), 'long');
  assert.throws(() => pad('a', 2, 'top'), /unknown alignment top/);
});

test('truncate', () => {
  assert.equal(truncate('abcdef', 6), 'abcdef');
  assert.equal(truncate('abcdef', 4), 'abc…');
  assert.equal(truncate('ab cdef', 4), 'ab…');
  assert.equal(truncate('日本語', 4), '日…');
  assert.throws(() => truncate('a', 0), RangeError);
});
