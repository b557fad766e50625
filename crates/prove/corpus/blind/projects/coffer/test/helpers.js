import { readFileSync } from 'node:fs';
import { parseJournal } from '../src/journal.js';
import { Ledger } from '../src/ledger.js';

export const eur = (units) => ({ units, currency: 'EUR' });
export const usd = (units) => ({ units, currency: 'USD' });

export const MARCH = `; a month
2024-03-01 * Salary
  assets:bank          2,500.00 EUR
  income:work

2024-03-02 Rent, "old" flat
  expenses:rent          850.00 EUR
  assets:bank

2024-03-02 * Coffee ; with Ana
  expenses:food            3.20 EUR
  assets:cash

2024-03-05 Exchange
  assets:cash            -20.00 EUR
  assets:dollars          22.00 USD
  equity:exchange
`;

export const march = (options) => new Ledger(parseJournal(MARCH), options);

export function snapshot(name) {
  return readFileSync(new URL(`./snapshots/${name}.txt`, import.meta.url), 'utf8');
}
