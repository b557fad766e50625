import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parsePlan, search, type Calendar, type Leg } from '../src/index';
import { parseTime } from '../src/time';

export const read = (name: string): string => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
export const trips = parsePlan(read('valley.plan'));
export const noHolidays: Calendar = { isHoliday: () => false };

export function find(from: string, to: string, after: string, date = '2024-05-06', calendar = noHolidays): Leg[] | null {
  return search(trips, { from, to, date, after: parseTime(after) }, calendar);
}

export function expectPossible(legs: Leg[]): void {
  legs.forEach((leg, index) => {
    expect(leg.arrives).toBeGreaterThan(leg.departs);
    const before = legs[index - 1];
    if (before) {
      expect(leg.from).toBe(before.to);
      expect(leg.departs - before.arrives).toBeGreaterThanOrEqual(4);
    }
  });
}
