import { parseAmount, total } from './amount.js';

export class JournalError extends Error {
  constructor(line, message) {
    super(`line ${line}: ${message}`);
    this.name = 'JournalError';
    this.line = line;
  }
}

const HEAD = /^(\d{4}-\d{2}-\d{2})\s+(\*\s+)?(\S.*)$/;
const POSTING = /^\s+(\S+)(?:\s{2,}(\S.*))?$/;

export function isDate(text) {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Fills in the one amount that may be missing. */
export function complete({ line, postings, ...entry }) {
  const open = postings.filter((p) => !p.amount);
  if (postings.length < 2) throw new JournalError(line, 'needs two postings');
  if (open.length > 1) throw new JournalError(line, 'more than one amount is missing');
  const left = total(postings.filter((p) => p.amount).map((p) => p.amount));
  if (open.length === 0 && left.length > 0) throw new JournalError(line, 'does not balance');
  const filled = postings.flatMap(({ account, amount }) => {
    if (amount) return [{ account, amount }];
    return left.map(({ units, currency }) => ({ account, amount: { units: -units, currency } }));
  });
  return { ...entry, postings: filled };
}

export function parseJournal(text) {
  const entries = [];
  let current = null;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    const rest = raw.replace(/\s*;.*$/, '').trimEnd();
    if (rest === '') {
      current = raw === '' ? null : current;
    } else if (/^\S/.test(rest)) {
      const found = HEAD.exec(rest);
      if (!found) throw new JournalError(line, `cannot read ${rest}`);
      const [, date, cleared, title] = found;
      if (!isDate(date)) throw new JournalError(line, `no such day: ${date}`);
      current = { line, date, title, cleared: Boolean(cleared), postings: [] };
      entries.push(current);
    } else {
      const found = POSTING.exec(rest);
      if (!current || !found) throw new JournalError(line, `stray posting: ${rest.trim()}`);
      try {
        current.postings.push({ account: found[1], amount: found[2] && parseAmount(found[2]) });
      } catch (error) {
        throw new JournalError(line, error.message);
      }
    }
  }
  return entries.map(complete);
}
