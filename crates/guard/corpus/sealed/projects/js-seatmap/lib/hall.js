'use strict';

const { parsePlan } = require('./plan');

const HOLD_MS = 10 * 60 * 1000;

class SeatError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'SeatError';
    this.code = code;
  }
}

class Hall {
  /** @param {string} plan @param {{ now?: () => number, onSold?: (seat: object, customer: string) => void }} options */
  constructor(plan, { now = Date.now, onSold = () => {} } = {}) {
    this.now = now;
    this.onSold = onSold;
    this.rows = parsePlan(plan).map((row) => ({
      ...row,
      seats: row.cells.map((cell, index) => ({
        id: `${row.name}${index + 1}`, row: row.name, index, category: row.category, cell, holder: null, until: 0, owner: null,
      })),
    }));
    this.byId = new Map(this.rows.flatMap((row) => row.seats.filter((seat) => seat.cell !== '_').map((seat) => [seat.id, seat])));
  }

  seat(id) {
    const seat = this.byId.get(id);
    if (!seat) throw new SeatError('unknown', `there is no seat ${id}`);
    return seat;
  }

  state(id) {
    const seat = this.seat(id);
    if (seat.cell === '#') return 'broken';
    if (seat.owner !== null) return 'sold';
    return seat.holder !== null && seat.until > this.now() ? 'held' : 'free';
  }

  isFree(id) {
    return this.state(id) === 'free';
  }

  /** Holds all of the seats for a customer, or none. */
  hold(ids, customer) {
    if (!customer) throw new SeatError('customer', 'a hold needs a customer');
    if (new Set(ids).size !== ids.length) throw new SeatError('twice', 'a seat was named twice');
    const taken = ids.filter((id) => !this.isFree(id));
    if (taken.length > 0) throw new SeatError('taken', `not free: ${taken.join(', ')}`);
    for (const id of ids) {
      Object.assign(this.seat(id), { holder: customer, until: this.now() + HOLD_MS });
    }
  }

  /** Sells seats the customer holds. */
  async sell(ids, customer, pay) {
    const wrong = ids.filter((id) => this.state(id) !== 'held' || this.seat(id).holder !== customer);
    if (wrong.length > 0) throw new SeatError('not-held', `not held by ${customer}: ${wrong.join(', ')}`);
    await pay(ids);
    for (const id of ids) {
      const seat = this.seat(id);
      Object.assign(seat, { owner: customer, holder: null });
      this.onSold(seat, customer);
    }
  }

  release(ids, customer) {
    for (const id of ids) {
      const seat = this.seat(id);
      if (seat.holder === customer) seat.holder = null;
    }
  }
}

module.exports = { Hall, SeatError, HOLD_MS };
