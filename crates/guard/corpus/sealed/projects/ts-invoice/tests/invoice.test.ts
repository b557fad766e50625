import { InvalidInvoice, dueDate, totals, validate } from '../src/invoice';
import { expectConsistent, invoice, line } from './factory';

describe('totals', () => {
  it('adds lines and taxes them per rate', () => {
    const result = totals(invoice({
      lines: [line({ unitCents: 333 }), line({ unitCents: 333 }), line({ rate: 'reduced', unitCents: 250, quantity: 3 }), line({ rate: 'none', unitCents: 100 })],
    }));
    expect(result).toEqual({ net: 1516, tax: { standard: 127, reduced: 53 }, gross: 1696 });
    expectConsistent(result);
  });

  it('takes discounts off a line', () => {
    const result = totals(invoice({ lines: [line({ discountPercent: 15 }), line({ discountPercent: 100 })] }));
    expect(result.net).toBe(850);
    expect(result.tax.standard).toBe(162);
    expectConsistent(result);
  });

  it('refuses invalid invoices', () => {
    expect(() => totals(invoice({ lines: [] }))).toThrow(InvalidInvoice);
  });
});

describe('validate', () => {
  const cases: Array<[string, Parameters<typeof invoice>[0], string[]]> = [
    ['number', { number: '24-17' }, ["bad number '24-17'"]],
    ['customer', { customer: '  ' }, ['no customer']],
    ['date', { issued: 'soon' }, ["bad date 'soon'"]],
    ['lines', { lines: [] }, ['no lines']],
    ['quantity', { lines: [line(), line({ quantity: 0 })] }, ['line 2: quantity 0']],
    ['price', { lines: [line({ unitCents: 9.5 })] }, ['line 1: price 9.5']],
    ['discount', { lines: [line({ discountPercent: 101 })] }, ['line 1: discount 101']],
    ['everything', { number: '', customer: '', lines: [] }, ["bad number ''", 'no customer', 'no lines']],
  ];

  it.each(cases)('finds a bad %s', (_name, overrides, problems) => {
    expect.assertions(2);
    try {
      validate(invoice(overrides));
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidInvoice);
      expect((error as InvalidInvoice).problems).toEqual(problems);
    }
  });

  it('accepts a good one', () => {
    expect(() => validate(invoice())).not.toThrow();
  });
});

describe('dueDate', () => {
  it('crosses months and leap days', () => {
    expect(dueDate(invoice())).toBe('2024-03-05');
    expect(dueDate(invoice({ issued: '2023-12-31', dueDays: 1 }))).toBe('2024-01-01');
  });
});
