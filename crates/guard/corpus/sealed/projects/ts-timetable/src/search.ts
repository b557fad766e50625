import { runsOn, type Calendar } from './calendar';
import type { Trip } from './plan';

export const CHANGE_MINUTES = 4;
export const MOST_CHANGES = 4;

export interface Leg {
  line: string;
  from: string;
  to: string;
  departs: number;
  arrives: number;
}

export interface Query {
  from: string;
  to: string;
  date: string;
  after: number;
}

export class UnknownStop extends Error {
  override name = 'UnknownStop';
}

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The best connection, or null when there is none on that day. */
export function search(trips: Trip[], query: Query, calendar: Calendar): Leg[] | null {
  for (const name of [query.from, query.to]) {
    if (!trips.some((trip) => trip.calls.some((call) => same(call.stop, name)))) throw new UnknownStop(`unknown stop: ${name}`);
  }
  if (same(query.from, query.to)) return [];
  const running = trips.filter((trip) => runsOn(trip.days, query.date, calendar));
  let best: Leg[] | null = null;
  const visit = (stop: string, ready: number, legs: Leg[]): void => {
    if (same(stop, query.to)) {
      if (best === null || better(legs, best)) best = legs;
      return;
    }
    if (legs.length > MOST_CHANGES) return;
    for (const trip of running) {
      const start = trip.calls.findIndex((call) => same(call.stop, stop) && call.departs >= ready);
      if (start < 0) continue;
      const first = trip.calls[start];
      if (!first) continue;
      for (const call of trip.calls.slice(start + 1)) {
        if (same(call.stop, query.from) || legs.some((leg) => same(leg.from, call.stop))) break;
        const leg = { line: trip.line, from: first.stop, to: call.stop, departs: first.departs, arrives: call.arrives };
        visit(call.stop, call.arrives + CHANGE_MINUTES, [...legs, leg]);
      }
    }
  };
  visit(query.from, query.after, []);
  return best;
}

function better(one: Leg[], other: Leg[]): boolean {
  const arrival = (one.at(-1)?.arrives ?? 0) - (other.at(-1)?.arrives ?? 0);
  if (arrival !== 0) return arrival < 0;
  const departure = (one[0]?.departs ?? 0) - (other[0]?.departs ?? 0);
  if (departure !== 0) return departure > 0;
  return one.length < other.length;
}
