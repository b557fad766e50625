'use strict';

const LARGEST_GROUP = 8;

/** The best neighbouring free seats for a group, or null. */
function bestSeats(hall, size) {
  if (!Number.isInteger(size) || size < 1 || size > LARGEST_GROUP) {
    throw new RangeError(`a group has 1 to ${LARGEST_GROUP} people, not ${size}`);
  }
  for (const row of hall.rows) {
    const middle = (row.seats.length - 1) / 2;
    let best = null;
    for (let start = 0; start + size <= row.seats.length; start += 1) {
      const group = row.seats.slice(start, start + size);
      if (!group.every((seat) => seat.cell === '.' && hall.isFree(seat.id))) continue;
      const distance = Math.abs(start + (size - 1) / 2 - middle);
      if (best === null || distance < best.distance) best = { distance, ids: group.map((seat) => seat.id) };
    }
    if (best) return best.ids;
  }
  return null;
}

module.exports = { bestSeats, LARGEST_GROUP };
