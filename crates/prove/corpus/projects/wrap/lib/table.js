'use strict';

const { pad, truncate, width } = require('./width');

const NUMBER = /^-?\d[\d,]*(\.\d+)?%?$/;

function columnWidths(rows, most) {
  const widths = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.min(most, Math.max(widths[index] ?? 1, width(cell)));
    });
  }
  return widths;
}

// Rows of cells as text; columns of numbers are aligned to the right.
function table(header, rows, { most = 30, separator = '  ' } = {}) {
  const size = header.length;
  for (const [index, row] of rows.entries()) {
    if (row.length !== size) throw new RangeError(`row ${index + 1} has ${row.length} cells instead of ${size}`);
  }
  const cells = rows.map((row) => row.map((cell) => (cell === null || cell === undefined ? '' : String(cell))));
  const widths = columnWidths([header, ...cells], most);
  const aligns = widths.map((_, index) => {
    const column = cells.map((row) => row[index]).filter((cell) => cell !== '');
    return column.length && column.every((cell) => NUMBER.test(cell)) ? 'right' : 'left';
  });
  const line = (row) => row.map((cell, index) => pad(truncate(cell, widths[index]), widths[index], aligns[index]))
    .join(separator).trimEnd();
  return [line(header), widths.map((count) => '-'.repeat(count)).join(separator), ...cells.map(line)].join('\n') + '\n';
}

// The sums of the columns that hold numbers only.
function totals(rows) {
  const sums = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      const text = String(cell ?? '').replaceAll(',', '');
      const known = index in sums ? sums[index] : 0;
      sums[index] = known === null || !NUMBER.test(text) || text.endsWith('%') ? null : known + Number(text);
    });
  }
  return sums;
}

module.exports = { table, totals };
