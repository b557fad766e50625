import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JournalError, isDate, parseJournal } from '../src/journal.js';
import { MARCH, eur, usd } from './helpers.js';

describe('parseJournal', () => {
  it('reads heads', () => {
    const heads = parseJournal(MARCH).map((e) => [e.date, e.title, e.cleared]);
    assert.deepEqual(heads, [
      ['2024-03-01', 'Salary', true],
      ['2024-03-02', 'Rent, "old" flat', false],
      ['2024-03-02', 'Coffee', true],
      ['2024-03-05', 'Exchange', false],
    ]);
  });

  it('fills in the missing amount', () => {
    const [salary] = parseJournal(MARCH);
    assert.deepEqual(salary.postings, [
      { account: 'assets:bank', amount: eur(250000) },
      { account: 'income:work', amount: eur(-250000) },
    ]);
  });

  it('fills in every currency', () => {
    const exchange = parseJournal(MARCH).at(-1);
    assert.deepEqual(exchange.postings.slice(2), [
      { account: 'equity:exchange', amount: eur(2000) },
      { account: 'equity:exchange', amount: usd(-2200) },
    ]);
  });

  it('skips comments inside of an entry', () => {
    const [entry] = parseJournal('2024-01-01 X\n  ; note\n  a  1 EUR ; here\n  b\n');
    assert.deepEqual(entry.postings.map((p) => p.account), ['a', 'b']);
  });

  const wrong = {
    'no such day': ['2024-02-30 X\n  a  1 EUR\n  b', 1, /no such day: 2024-02-30/],
    'no posting': ['\n2024-02-03 X\n  a  1 EUR', 2, /needs two postings/],
    'two open': ['2024-02-03 X\n  a\n  b', 1, /more than one amount is missing/],
    'not balanced': ['2024-02-03 X\n  a  1 EUR\n  b  -2 EUR', 1, /does not balance/],
    'bad amount': ['2024-02-03 X\n  a  1 EUR\n  b  1.234 EUR', 3, /too many digits/],
    'stray posting': ['2024-02-03 X\n  a  1 EUR\n  b\n\n  c  1 EUR', 5, /stray posting: c/],
    'no head': ['Coffee', 1, /cannot read Coffee/],
  };
  for (const [name, [text, line, message]] of Object.entries(wrong)) {
    it(`refuses: ${name}`, () => {
      assert.throws(() => parseJournal(text), (error) => {
        assert.ok(error instanceof JournalError);
        assert.equal(error.line, line);
        assert.match(error.message, message);
        return true;
      });
    });
  }
});

it('isDate', () => {
  assert.deepEqual(['2024-02-29', '2023-02-29', '2024-13-01', '2024-12-31'].map(isDate), [true, false, false, true]);
});
