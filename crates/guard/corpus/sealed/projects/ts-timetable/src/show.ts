import type { Leg } from './search';
import { formatTime } from './time';

/** A connection as lines of text. */
export function show(legs: Leg[] | null): string {
  if (legs === null) return 'no connection\n';
  if (legs.length === 0) return 'you are there already\n';
  const width = Math.max(...legs.flatMap((leg) => [leg.from.length, leg.to.length]));
  const lines = legs.map((leg) => `${formatTime(leg.departs)} ${leg.from.padEnd(width)}  ${leg.line}  ${formatTime(leg.arrives)} ${leg.to}`);
  const minutes = (legs.at(-1)?.arrives ?? 0) - (legs[0]?.departs ?? 0);
  const changes = legs.length - 1;
  lines.push(`${Math.floor(minutes / 60)} h ${minutes % 60} min, ${changes} ${changes === 1 ? 'change' : 'changes'}`);
  return `${lines.join('\n')}\n`;
}
