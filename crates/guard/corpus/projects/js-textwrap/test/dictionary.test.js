import { test, beforeEach, mock } from 'node:test';
import assert from 'node:assert/strict';
import { loadDictionary, unknownWords, DictionaryError } from '../src/dictionary.js';

let read;

beforeEach(() => {
  read = mock.fn(async () => 'apple\n pear \n\n');
});

test('words are trimmed', async () => {
  const words = await loadDictionary('words.txt', read);
  assert.deepEqual([...words], ['apple', 'pear']);
  assert.equal(read.mock.callCount(), 1);
});

test('an unreadable file is reported', async () => {
  const broken = async () => {
    throw new Error('ENOENT');
  };
  await assert.rejects(loadDictionary('none.txt', broken), /cannot read none.txt/);
});

test('an empty file is refused', async () => {
  await assert.rejects(loadDictionary('x', async () => '\n'), DictionaryError);
});

test('unknown words are listed once', async () => {
  const words = await loadDictionary('words.txt', read);
  assert.deepEqual(unknownWords('Pear, plum, apple, plum', words), ['plum']);
});

test('nothing is unknown in nothing', () => {
  assert.deepEqual(unknownWords('', new Set()), []);
});

test('a large text is quick', { timeout: 1000 }, () => {
  assert.equal(unknownWords('word '.repeat(5000), new Set(['word'])).length, 0);
});

test('symlinks are followed', { skip: process.platform === 'win32' && 'no symlinks' }, async () => {
  const words = await loadDictionary('link.txt', read);
  assert.equal(words.size, 2);
});
