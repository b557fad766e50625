import { total } from './amount.js';

export class ClosedError extends Error {
  constructor(date, closed) {
    super(`${date} is closed (until ${closed})`);
    this.name = 'ClosedError';
  }
}

export function covers(account, other) {
  return other === account || other.startsWith(`${account}:`);
}

export class Ledger {
  #entries = [];
  #closed = '';

  constructor(entries = [], { onPost = () => {} } = {}) {
    this.onPost = onPost;
    for (const entry of entries) this.#insert(entry);
  }

  /** Entries are kept by date; those of one day in the order they came. */
  #insert(entry) {
    let at = this.#entries.length;
    while (at > 0 && this.#entries[at - 1].date > entry.date) at -= 1;
    this.#entries.splice(at, 0, entry);
  }

  post(entry) {
    if (entry.date <= this.#closed) throw new ClosedError(entry.date, this.#closed);
    if (total(entry.postings.map((p) => p.amount)).length > 0) {
      throw new RangeError(`does not balance: ${entry.title}`);
    }
    this.#insert(entry);
    this.onPost({ date: entry.date, title: entry.title });
  }

  /** No entry may be posted up to and including this day; a ledger is never opened again. */
  close(date) {
    if (date < this.#closed) throw new ClosedError(date, this.#closed);
    this.#closed = date;
  }

  entries({ from = '', until = '9999-12-31' } = {}) {
    return this.#entries.filter((e) => e.date >= from && e.date <= until);
  }

  accounts() {
    const names = this.#entries.flatMap((e) => e.postings.map((p) => p.account));
    return [...new Set(names)].sort();
  }

  balance(account, range) {
    const postings = this.entries(range).flatMap((e) => e.postings);
    return total(postings.filter((p) => covers(account, p.account)).map((p) => p.amount));
  }

  /** Every posting of an account, with what the account holds after it. */
  register(account) {
    const seen = [];
    return this.#entries.flatMap(({ date, title, postings }) =>
      postings
        .filter((p) => covers(account, p.account))
        .map(({ amount }) => {
          seen.push(amount);
          return { date, title, amount, balance: total(seen) };
        }),
    );
  }
}
