'use strict';

const MARKS = { free: '.', held: 'h', sold: 'x', broken: '#' };

/** The hall as text, one line per row. */
function render(hall) {
  const lines = hall.rows.map((row) => {
    const cells = row.seats.map((seat) => (seat.cell === '_' ? ' ' : MARKS[hall.state(seat.id)]));
    const free = row.seats.filter((seat) => seat.cell === '.' && hall.isFree(seat.id)).length;
    return `${row.name} [${cells.join('')}] ${free} free`;
  });
  return `${lines.join('\n')}\n`;
}

module.exports = { render };
