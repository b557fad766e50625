import { intersect, merge, subtract } from './intervals.js';
import { formatSlot, parseSlot } from './time.js';

export class Conflict extends Error {
  constructor(slot) {
    super(`not free: ${formatSlot(slot)}`);
    this.name = 'Conflict';
    this.slot = slot;
  }
}

export class Room {
  #booked = [];

  constructor(name, open, notify = () => {}) {
    this.name = name;
    this.open = merge(open.map(parseSlot));
    this.notify = notify;
  }

  free() {
    return subtract(this.open, this.#booked.map((b) => b.slot));
  }

  book(text, who) {
    const slot = parseSlot(text);
    if (!who) throw new TypeError('who books?');
    const fits = this.free().some((f) => f.start <= slot.start && slot.end <= f.end);
    if (!fits) throw new Conflict(slot);
    this.#booked.push({ slot, who });
    this.notify({ room: this.name, slot: formatSlot(slot), who });
    return slot;
  }

  cancel(text, who) {
    const slot = parseSlot(text);
    const index = this.#booked.findIndex((b) => b.who === who && b.slot.start === slot.start && b.slot.end === slot.end);
    if (index < 0) return false;
    this.#booked.splice(index, 1);
    return true;
  }

  agenda() {
    return [...this.#booked]
      .sort((a, b) => a.slot.start - b.slot.start)
      .map((b) => `${formatSlot(b.slot)} ${b.who}`);
  }
}

/** The first slot of `minutes` that is free in all rooms, or null. */
export function firstCommon(rooms, minutes) {
  if (rooms.length === 0) return null;
  const common = rooms.map((room) => room.free()).reduce(intersect);
  const found = common.find((slot) => slot.end - slot.start >= minutes);
  return found ? { start: found.start, end: found.start + minutes } : null;
}

/** Looks rooms up in a directory service, the answers in the order of the names. */
export async function loadRooms(names, directory) {
  return Promise.all(
    names.map(async (name) => {
      const record = await directory.find(name);
      if (!record) throw new Error(`no such room: ${name}`);
      return new Room(name, record.open);
    }),
  );
}
