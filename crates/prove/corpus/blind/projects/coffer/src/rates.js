import { digitsOf } from './amount.js';

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Rates from a service, kept for `ttl` milliseconds; a failing service is asked again. */
export class Rates {
  #known = new Map();

  constructor(fetchRate, { ttl = 60_000, attempts = 3, now = Date.now, sleep = pause } = {}) {
    Object.assign(this, { fetchRate, ttl, attempts, now, sleep });
  }

  async #ask(from, to) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.fetchRate(from, to);
      } catch (error) {
        if (attempt >= this.attempts) throw error;
        await this.sleep(100 * 2 ** (attempt - 1));
      }
    }
  }

  async rate(from, to) {
    if (from === to) return 1;
    const key = `${from}/${to}`;
    const known = this.#known.get(key);
    if (known && this.now() < known.until) return known.rate;
    const rate = await this.#ask(from, to);
    this.#known.set(key, { rate, until: this.now() + this.ttl });
    return rate;
  }

  /** Rounds half away from zero. */
  async convert({ units, currency }, to) {
    const shift = 10 ** (digitsOf(to) - digitsOf(currency));
    const exact = Math.abs(units) * (await this.rate(currency, to)) * shift;
    const rounded = Math.round(exact);
    return { units: units < 0 ? -rounded : rounded, currency: to };
  }
}
