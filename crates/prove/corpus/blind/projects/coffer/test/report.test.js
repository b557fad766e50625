import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../src/ledger.js';
import { balanceTable, toCsv } from '../src/report.js';
import { march, snapshot } from './helpers.js';

test('balanceTable', () => {
  assert.equal(balanceTable(march()), snapshot('balance'));
});

test('balanceTable until a day', () => {
  const lines = balanceTable(march(), { until: '2024-03-01' }).split('\n');
  assert.equal(lines[0], 'assets:bank       2,500.00 EUR');
  assert.equal(lines[1], 'assets:cash                  0');
});

test('balanceTable of nothing', () => {
  assert.equal(balanceTable(new Ledger()), '');
});

test('toCsv', () => {
  assert.equal(`${toCsv(march(), 'assets:bank')}\n`, snapshot('bank'));
});
