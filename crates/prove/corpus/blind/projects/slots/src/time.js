const CLOCK = /^(\d{1,2}):(\d{2})$/;

/** '09:30' -> 570, minutes since midnight; '24:00' is the end of the day. */
export function parseClock(text) {
  const found = CLOCK.exec(text);
  if (!found) throw new SyntaxError(`not a time: ${text}`);
  const minutes = Number(found[1]) * 60 + Number(found[2]);
  if (Number(found[2]) > 59 || minutes > 1440) throw new RangeError(`no such time: ${text}`);
  return minutes;
}

export function formatClock(minutes) {
  const hours = Math.floor(minutes / 60);
  return `${String(hours).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** '09:00-10:30' -> { start: 540, end: 630 } */
export function parseSlot(text) {
  const [from, to, ...rest] = text.split('-');
  if (to === undefined || rest.length > 0) throw new SyntaxError(`not a slot: ${text}`);
  const slot = { start: parseClock(from.trim()), end: parseClock(to.trim()) };
  if (slot.end <= slot.start) throw new RangeError(`ends before it starts: ${text}`);
  return slot;
}

export function formatSlot(slot) {
  return `${formatClock(slot.start)}-${formatClock(slot.end)}`;
}
