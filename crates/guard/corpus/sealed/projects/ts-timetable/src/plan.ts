import { parseTime } from './time';

export type Days = 'daily' | 'weekday' | 'weekend';

export interface Call {
  stop: string;
  arrives: number;
  departs: number;
}

export interface Trip {
  line: string;
  days: Days;
  calls: Call[];
}

export class PlanError extends Error {
  override name = 'PlanError';
  constructor(message: string, readonly line: number) {
    super(`${line}: ${message}`);
  }
}

const isDays = (text: string): text is Days => text === 'daily' || text === 'weekday' || text === 'weekend';

/** Reads lines such as `R1 daily: Aldorf 08:00, Bruck 08:10-08:12, Cham 08:30`. */
export function parsePlan(text: string): Trip[] {
  const trips: Trip[] = [];
  text.split(/\r?\n/).forEach((raw, index) => {
    const content = raw.replace(/#.*/, '').trim();
    if (content === '') return;
    const fail = (message: string): never => {
      throw new PlanError(message, index + 1);
    };
    const head = /^(\w+) (\w+): (.+)$/.exec(content);
    if (!head) return fail('cannot read this line');
    const [, line = '', days = '', rest = ''] = head;
    if (!isDays(days)) return fail(`unknown days '${days}'`);
    const calls = rest.split(', ').map((part): Call => {
      const match = /^(.+) (\d\d:\d\d)(?:-(\d\d:\d\d))?$/.exec(part);
      if (!match) return fail(`cannot read '${part}'`);
      const arrives = parseTime(match[2] ?? '');
      return { stop: match[1] ?? '', arrives, departs: match[3] === undefined ? arrives : parseTime(match[3]) };
    });
    if (calls.length < 2) fail('a trip has two stops at least');
    let before = -1;
    for (const call of calls) {
      if (call.arrives <= before || call.departs < call.arrives) fail(`${call.stop} is before the last stop`);
      before = call.departs;
    }
    trips.push({ line, days, calls });
  });
  return trips;
}
