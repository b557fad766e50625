export interface Counter {
  read(year: number): Promise<number>;
  write(year: number, value: number): Promise<void>;
}

/** Gives invoices their numbers, without gaps, even when asked at the same time. */
export class Numbering {
  private queue: Promise<unknown> = Promise.resolve();

  constructor(private readonly counter: Counter) {}

  next(year: number): Promise<string> {
    if (!Number.isInteger(year) || year < 2000 || year > 9999) {
      return Promise.reject(new RangeError(`bad year ${year}`));
    }
    const result = this.queue.then(async () => {
      const value = (await this.counter.read(year)) + 1;
      if (value > 99_999) throw new RangeError(`no numbers left in ${year}`);
      await this.counter.write(year, value);
      return `${year}-${String(value).padStart(5, '0')}`;
    });
    this.queue = result.catch(() => undefined);
    return result;
  }
}
