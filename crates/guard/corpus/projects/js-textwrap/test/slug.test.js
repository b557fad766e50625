import { test } from 'node:test';
import assert from 'node:assert/strict';
import { slugify, titleCase, countWords } from '../src/slug.js';
import { truncate } from '../src/wrap.js';

test('lower case and dashes', () => {
  assert.equal(slugify('Hello World'), 'hello-world');
});

test('umlauts', () => {
  assert.equal(slugify('Größe über'), 'groesse-ueber');
});

test('no dashes at the ends', () => {
  assert.equal(slugify('  (draft)  '), 'draft');
});

const cases = [
  ['a  b', 'a-b'],
  ['café', 'cafe'],
  ['1 + 1', '1-1'],
];
for (const [text, expected] of cases) {
  test(`slug of ${text}`, () => {
    assert.equal(slugify(text), expected);
  });
}

test('only strings', () => {
  assert.throws(() => slugify(5), TypeError);
});

test('title case', () => {
  assert.equal(titleCase('the old man'), 'The Old Man');
});

test('words are counted', () => {
  assert.equal(countWords(' one  two '), 2);
  assert.equal(countWords(''), 0);
});

test('titles are cut', () => {
  assert.equal(truncate('abcdef', 4), 'abc…');
});
