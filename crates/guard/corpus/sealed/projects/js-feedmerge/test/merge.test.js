import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeEntries } from '../src/index.js';

const entry = (link, date, more = {}) => ({ link: `https://example.org/${link}`, date, title: link, ...more });

test('newest first, undated last', () => {
  const { entries } = mergeEntries([
    { source: 'a', entries: [entry('old', '2024-01-01'), entry('none', undefined)] },
    { source: 'b', entries: [entry('new', '2024-03-01')] },
  ]);
  assert.deepEqual(entries.map(({ title }) => title), ['new', 'old', 'none']);
});

test('one entry per link, with all its sources and the newest date', () => {
  const { entries } = mergeEntries([
    { source: 'a', entries: [entry('x', '2024-01-01')] },
    { source: 'b', entries: [entry('x#c', '2024-02-01', { title: 'other' }), entry('x/', '2023-01-01')] },
  ]);
  assert.deepEqual(entries, [
    { link: 'https://example.org/x', title: 'x', date: '2024-02-01', summary: '', sources: ['a', 'b'] },
  ]);
});

test('rejects entries without a proper link', () => {
  const { entries, rejected } = mergeEntries([{ source: 'a', entries: [{ link: 'ftp://x' }, entry('y'), {}] }]);
  assert.equal(entries.length, 1);
  assert.deepEqual(rejected, [
    { source: 'a', reason: 'not a web address: ftp://x' },
    { source: 'a', reason: 'not a link: undefined' },
  ]);
});

test('limit', async (t) => {
  const feeds = [{ source: 'a', entries: Array.from({ length: 60 }, (_, n) => entry(`p${n}`, '2024-01-01')) }];
  await t.test('is 50 unless told', () => assert.equal(mergeEntries(feeds).entries.length, 50));
  await t.test('can be set', () => assert.equal(mergeEntries(feeds, { limit: 3 }).entries.length, 3));
  for (const limit of [0, -1, 2.5, '3']) {
    await t.test(`is not ${limit}`, () => assert.throws(() => mergeEntries(feeds, { limit }), RangeError));
  }
});
