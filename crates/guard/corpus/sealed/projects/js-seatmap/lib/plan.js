'use strict';

class PlanError extends Error {
  constructor(message, line) {
    super(`line ${line}: ${message}`);
    this.name = 'PlanError';
    this.line = line;
  }
}

const ROW = /^([A-Z]) +([A-C]) +([.#_]+)$/;

/** Reads a plan such as `A A ..__..`: row, category, seats ('.' seat, '#' broken seat, '_' aisle). */
function parsePlan(text) {
  const rows = [];
  const seen = new Set();
  text.split('\n').forEach((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('//')) return;
    const match = ROW.exec(trimmed);
    if (!match) throw new PlanError(`cannot read '${trimmed}'`, index + 1);
    const [, name, category, cells] = match;
    if (seen.has(name)) throw new PlanError(`row ${name} is there twice`, index + 1);
    if (!cells.includes('.')) throw new PlanError(`row ${name} has no seats`, index + 1);
    seen.add(name);
    rows.push({ name, category, cells: [...cells] });
  });
  if (rows.length === 0) throw new PlanError('no rows', 1);
  return rows;
}

module.exports = { parsePlan, PlanError };
