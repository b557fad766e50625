export class TimeError extends Error {
  override name = 'TimeError';
}

/** Minutes since midnight. */
export function parseTime(text: string): number {
  const match = /^(\d{2}):(\d{2})$/.exec(text);
  if (!match) throw new TimeError(`not a time: ${text}`);
  const hours = Number(match[1]);
  const minutes = Number(match[2]);
  if (hours > 29 || minutes > 59) throw new TimeError(`no such time: ${text}`);
  return hours * 60 + minutes;
}

export function formatTime(minutes: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const next = minutes >= 24 * 60 ? '+' : '';
  const day = minutes % (24 * 60);
  return `${two(Math.floor(day / 60))}:${two(day % 60)}${next}`;
}
