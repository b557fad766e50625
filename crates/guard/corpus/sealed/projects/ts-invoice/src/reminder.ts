import { dueDate, totals, type Invoice } from './invoice';
import { send } from './mailer';
import { formatCents } from './money';

export const REMIND_AFTER_DAYS = 14;
export const MOST_REMINDERS = 3;

export interface Open {
  invoice: Invoice;
  reminders: number;
}

/** Sends the reminders of a day; returns the numbers of the invoices whose mail failed. */
export async function remind(open: Open[], today: string): Promise<string[]> {
  const failed: string[] = [];
  for (const item of open) {
    const late = (Date.parse(today) - Date.parse(dueDate(item.invoice))) / 86_400_000;
    if (late < REMIND_AFTER_DAYS || item.reminders >= MOST_REMINDERS) continue;
    const text = `Invoice ${item.invoice.number}: ${formatCents(totals(item.invoice).gross)} were due on ${dueDate(item.invoice)}.`;
    try {
      await send(item.invoice.customer, text);
      item.reminders += 1;
    } catch {
      failed.push(item.invoice.number);
    }
  }
  return failed;
}
