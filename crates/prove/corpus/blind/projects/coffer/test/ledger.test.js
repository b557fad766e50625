import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { ClosedError, Ledger } from '../src/ledger.js';
import { eur, march, usd } from './helpers.js';

const gift = (date, title = 'Gift') => ({
  date,
  title,
  postings: [
    { account: 'assets:cash', amount: eur(500) },
    { account: 'income:gifts', amount: eur(-500) },
  ],
});

describe('Ledger', () => {
  let ledger;
  let onPost;

  beforeEach(() => {
    onPost = mock.fn();
    ledger = march({ onPost });
  });

  it('sums an account and all below it', () => {
    assert.deepEqual(ledger.balance('assets:bank'), [eur(165000)]);
    assert.deepEqual(ledger.balance('assets'), [eur(162680), usd(2200)]);
    assert.deepEqual(ledger.balance('asset'), []);
  });

  it('sums a range', () => {
    assert.deepEqual(ledger.balance('assets', { until: '2024-03-01' }), [eur(250000)]);
    assert.deepEqual(ledger.balance('assets', { from: '2024-03-02', until: '2024-03-02' }), [eur(-85320)]);
  });

  it('keeps entries by date', () => {
    ledger.post(gift('2024-03-02', 'First'));
    ledger.post(gift('2024-02-01', 'Early'));
    ledger.post(gift('2024-03-02', 'Second'));
    assert.deepEqual(
      ledger.entries().map((e) => e.title),
      ['Early', 'Salary', 'Rent, "old" flat', 'Coffee', 'First', 'Second', 'Exchange'],
    );
  });

  it('tells what was posted', () => {
    ledger.post(gift('2024-03-06'));
    assert.deepEqual(onPost.mock.calls.map((c) => c.arguments), [[{ date: '2024-03-06', title: 'Gift' }]]);
  });

  it('refuses what does not balance', () => {
    const entry = gift('2024-03-06');
    entry.postings.pop();
    assert.throws(() => ledger.post(entry), /does not balance: Gift/);
    assert.equal(onPost.mock.callCount(), 0);
    assert.equal(ledger.entries().length, 4);
  });

  it('closes', () => {
    ledger.close('2024-03-31');
    assert.throws(() => ledger.post(gift('2024-03-31')), ClosedError);
    assert.throws(() => ledger.close('2024-02-28'), /2024-02-28 is closed \(until 2024-03-31\)/);
    ledger.post(gift('2024-04-01'));
    assert.equal(ledger.entries({ from: '2024-04-01' }).length, 1);
  });

  it('lists its accounts', () => {
    assert.equal(ledger.accounts().length, 7);
    assert.equal(ledger.accounts()[0], 'assets:bank');
    assert.deepEqual(new Ledger().accounts(), []);
  });

  it('keeps a register', () => {
    assert.deepEqual(ledger.register('assets:cash'), [
      { date: '2024-03-02', title: 'Coffee', amount: eur(-320), balance: [eur(-320)] },
      { date: '2024-03-05', title: 'Exchange', amount: eur(-2000), balance: [eur(-2320)] },
    ]);
  });
});
