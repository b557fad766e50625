import { formatAmount } from './amount.js';

const plain = (amounts) => (amounts.length ? amounts.map(formatAmount).join(' + ') : '0');

/** A table of all accounts; amounts are set flush right. */
export function balanceTable(ledger, { until } = {}) {
  const rows = ledger
    .accounts()
    .map((account) => [account, plain(ledger.balance(account, { until }))]);
  const left = Math.max(0, ...rows.map(([account]) => account.length));
  const right = Math.max(0, ...rows.map(([, amount]) => amount.length));
  return rows.map(([account, amount]) => `${account.padEnd(left)}  ${amount.padStart(right)}\n`).join('');
}

function cell(value) {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function toCsv(ledger, account) {
  const rows = ledger
    .register(account)
    .map((row) => [row.date, row.title, formatAmount(row.amount), plain(row.balance)]);
  return [['date', 'title', 'amount', 'balance'], ...rows].map((row) => row.map(cell).join(',')).join('\n');
}
