'use strict';

const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { chop, dedent, justify, width, wrap } = require('..');
const { golden } = require('./golden');

const WORDS = 'the quick-witted brown fox jumps over extraordinarily 日本語 lazy dogs, e\u0301té and a-b-c'.split(' ');

function sample(seed) {
  let state = seed;
  const next = (limit) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor(state / 65536) % limit;
  };
  return Array.from({ length: 5 + next(40) }, () => WORDS[next(WORDS.length)]).join(' ');
}

describe('wrap', () => {
  it('breaks at spaces', () => {
    assert.equal(wrap('one two three four', 9), 'one two\nthree\nfour');
  });

  it('uses the full width', () => {
    assert.equal(wrap('abcd efgh', 9), 'abcd efgh');
  });

  it('breaks after hyphens', () => {
    assert.equal(wrap('a well-known word', 8), 'a well-\nknown\nword');
  });

  it('chops long words', () => {
    assert.equal(wrap('abcdefghij kl', 4), 'abcd\nefgh\nij\nkl');
    assert.deepEqual(chop('日本語', 4), ['日本', '語']);
  });

  it('keeps paragraphs', () => {
    assert.equal(wrap('a b\nc\n\n \nd', 10), 'a b c\n\nd');
    assert.equal(wrap('a b\r\nc', 10, { keepLines: true }), 'a b\nc');
  });

  it('indents', () => {
    assert.equal(wrap('one two three', 9, { indent: '* ', hanging: '  ' }), '* one two\n  three');
    assert.throws(() => wrap('a', 8, { indent: '     ' }), /indent is too wide/);
  });

  it('refuses few columns', () => {
    for (const columns of [3, 0, -1, 7.5, NaN]) assert.throws(() => wrap('a', columns), RangeError);
  });

  it('no line is too long and no letter is lost', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const text = sample(seed);
      for (const columns of [4, 7, 20, 79]) {
        const lines = wrap(text, columns).split('\n');
        for (const line of lines) assert.ok(width(line) <= columns, line);
        assert.equal(lines.join('').replaceAll(' ', ''), text.replaceAll(' ', ''));
      }
    }
  });
});

describe('justify', () => {
  it('fills lines', () => {
    golden('justified', `${justify('It was the best of times, it was the worst of times.', 19)}\n`);
  });

  it('leaves single words alone', () => {
    assert.equal(justify('abcdefg hi', 8), 'abcdefg\nhi');
  });
});

describe('dedent', () => {
  it('removes what is shared', () => {
    assert.equal(dedent('\n    a\n      b\n\n    c'), 'a\n  b\n\nc');
    assert.equal(dedent('a\n  b'), 'a\n  b');
  });
});
