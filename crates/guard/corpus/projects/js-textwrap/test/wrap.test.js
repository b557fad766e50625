import { test, describe } from 'node:test';
import assert from 'node:assert/strict';
import { wrap, indent, truncate, DEFAULT_WIDTH } from '../src/wrap.js';

describe('wrap', () => {
  test('keeps a short line', () => {
    assert.deepEqual(wrap('one two', 10), ['one two']);
  });

  test('breaks between words', () => {
    assert.deepEqual(wrap('one two three', 8), ['one two', 'three']);
  });

  test('keeps a long word whole', () => {
    assert.deepEqual(wrap('extraordinary', 5), ['extraordinary']);
  });

  test('has no line longer than the width', () => {
    const lines = wrap('lorem ipsum dolor sit amet '.repeat(20), 30);
    assert.equal(lines.length, 20);
    assert.ok(lines.every((line) => line.length <= 30));
  });

  test('rejects a width of zero', () => {
    assert.throws(() => wrap('x', 0), RangeError);
  });

  test('has a default width', () => {
    assert.equal(DEFAULT_WIDTH, 72);
    assert.equal(wrap('a '.repeat(36)).length, 1);
  });
});

describe('indent', () => {
  test('indents lines', () => {
    assert.equal(indent('a\nb'), '  a\n  b');
  });

  test('leaves empty lines', () => {
    assert.equal(indent('a\n\nb', '> '), '> a\n\n> b');
  });
});

describe('truncate', () => {
  test('cuts', () => {
    assert.equal(truncate('abcdef', 4), 'abc…');
  });

  test('keeps what fits', () => {
    assert.equal(truncate('abc', 4), 'abc');
  });

  test('needs room', () => {
    assert.throws(() => truncate('abc', 1), { name: 'RangeError', message: 'width too small' });
  });
});
