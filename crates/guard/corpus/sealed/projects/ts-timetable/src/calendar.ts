import type { Days } from './plan';

export interface Calendar {
  isHoliday(date: string): boolean;
}

/** Whether a trip of these days runs on a date. */
export function runsOn(days: Days, date: string, calendar: Calendar): boolean {
  const time = Date.parse(`${date}T12:00:00Z`);
  if (Number.isNaN(time)) throw new RangeError(`not a date: ${date}`);
  if (days === 'daily') return true;
  const day = new Date(time).getUTCDay();
  const weekend = day === 0 || day === 6 || calendar.isHoliday(date);
  return weekend === (days === 'weekend');
}
