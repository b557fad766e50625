import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { print } from '../src/print';
import { invoice, line } from './factory';

describe('print', () => {
  it('prints a small invoice', () => {
    expect(print(invoice())).toMatchSnapshot();
  });

  it('prints rates and discounts', () => {
    const text = print(invoice({
      customer: 'Ines & Co',
      lines: [line({ text: 'Paint', quantity: 3, unitCents: 1299 }), line({ text: 'Guide to painting', rate: 'reduced', unitCents: 2490, discountPercent: 10 })],
    }));
    expect(`${text}\n`).toBe(readFileSync(join(__dirname, 'data', 'paint.txt'), 'utf8'));
  });

  it('keeps every row within 48 columns', () => {
    const text = print(invoice({ lines: [line({ text: 'x'.repeat(100) })] }));
    for (const part of text.split('\n')) expect(part.length).toBeLessThanOrEqual(48);
  });
});
