import { RATES, roundHalfUp, taxOf, type Rate } from './money';

export interface Line {
  text: string;
  quantity: number;
  unitCents: number;
  rate: Rate;
  discountPercent?: number;
}

export interface Invoice {
  number: string;
  customer: string;
  issued: string;
  dueDays: number;
  lines: Line[];
}

export interface Totals {
  net: number;
  tax: Partial<Record<Rate, number>>;
  gross: number;
}

export class InvalidInvoice extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('; '));
    this.name = 'InvalidInvoice';
  }
}

export function lineCents(line: Line): number {
  const full = line.quantity * line.unitCents;
  return roundHalfUp((full * (100 - (line.discountPercent ?? 0))) / 100);
}

export function validate(invoice: Invoice): void {
  const problems: string[] = [];
  if (!/^\d{4}-\d{5}$/.test(invoice.number)) problems.push(`bad number '${invoice.number}'`);
  if (invoice.customer.trim() === '') problems.push('no customer');
  if (Number.isNaN(Date.parse(invoice.issued))) problems.push(`bad date '${invoice.issued}'`);
  if (invoice.lines.length === 0) problems.push('no lines');
  invoice.lines.forEach((line, index) => {
    const where = `line ${index + 1}`;
    if (!(line.quantity > 0)) problems.push(`${where}: quantity ${line.quantity}`);
    if (!Number.isInteger(line.unitCents)) problems.push(`${where}: price ${line.unitCents}`);
    const discount = line.discountPercent ?? 0;
    if (discount < 0 || discount > 100) problems.push(`${where}: discount ${discount}`);
  });
  if (problems.length > 0) throw new InvalidInvoice(problems);
}

export function totals(invoice: Invoice): Totals {
  validate(invoice);
  const net: Partial<Record<Rate, number>> = {};
  for (const line of invoice.lines) {
    net[line.rate] = (net[line.rate] ?? 0) + lineCents(line);
  }
  const tax: Partial<Record<Rate, number>> = {};
  let netSum = 0;
  let taxSum = 0;
  for (const rate of Object.keys(RATES) as Rate[]) {
    const part = net[rate];
    if (part === undefined) continue;
    netSum += part;
    if (rate === 'none') continue;
    const value = taxOf(part, rate);
    tax[rate] = value;
    taxSum += value;
  }
  return { net: netSum, tax, gross: netSum + taxSum };
}

export function dueDate(invoice: Invoice): string {
  const date = new Date(`${invoice.issued}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + invoice.dueDays);
  return date.toISOString().slice(0, 10);
}
