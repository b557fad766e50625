import type { Invoice, Line } from '../src/invoice';
import type { Counter } from '../src/numbers';

export function line(overrides: Partial<Line> = {}): Line {
  return { text: 'Bolt', quantity: 1, unitCents: 1000, rate: 'standard', ...overrides };
}

export function invoice(overrides: Partial<Invoice> = {}): Invoice {
  return { number: '2024-00017', customer: 'Mora GmbH', issued: '2024-02-20', dueDays: 14, lines: [line()], ...overrides };
}

export class MemoryCounter implements Counter {
  values = new Map<number, number>();
  async read(year: number): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return this.values.get(year) ?? 0;
  }
  async write(year: number, value: number): Promise<void> {
    this.values.set(year, value);
  }
}

export function expectConsistent(totals: { net: number; tax: object; gross: number }): void {
  const tax = Object.values(totals.tax).reduce((sum: number, value: number) => sum + value, 0);
  expect(totals.gross).toBe(totals.net + tax);
}
