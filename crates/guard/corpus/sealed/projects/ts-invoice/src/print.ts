import { dueDate, lineCents, totals, type Invoice } from './invoice';
import { RATES, formatCents, type Rate } from './money';

const WIDTH = 48;

function row(label: string, value: string): string {
  return label.slice(0, WIDTH - value.length - 1).padEnd(WIDTH - value.length) + value;
}

/** The invoice as text. */
export function print(invoice: Invoice): string {
  const sums = totals(invoice);
  const out = [row(`Invoice ${invoice.number}`, invoice.issued), invoice.customer, ''];
  for (const line of invoice.lines) {
    const discount = line.discountPercent ? ` (-${line.discountPercent} %)` : '';
    out.push(row(`${line.quantity} x ${line.text}${discount}`, formatCents(lineCents(line))));
  }
  out.push('', row('Net', formatCents(sums.net)));
  for (const [rate, value] of Object.entries(sums.tax)) {
    out.push(row(`Tax ${RATES[rate as Rate]} %`, formatCents(value)));
  }
  out.push(row('Total', formatCents(sums.gross)), '', `Payable until ${dueDate(invoice)}`);
  return out.join('\n');
}
