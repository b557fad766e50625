// Ranges such as `^1.2.3`, `~1.4`, `>=1.0.0 <2.0.0 || 3.x`, `1.2 - 2.3.4`.

import { Version, VersionError, compare } from './version.js';

const PARTIAL = /^v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*])(-[0-9A-Za-z.-]+)?)?$/;

function partial(text) {
  const match = PARTIAL.exec(text);
  if (!match) throw new VersionError(`not a range: ${text}`);
  const numbers = [];
  for (const part of match.slice(1, 4)) {
    if (part === undefined || /^[xX*]$/.test(part)) break;
    numbers.push(Number(part));
  }
  const low = Version.parse(`${[0, 1, 2].map((index) => numbers[index] ?? 0).join('.')}${numbers.length === 3 ? match[4] ?? '' : ''}`);
  return { numbers, low };
}

// The first version after all that begin with these numbers.
function after(numbers, at) {
  const next = [0, 0, 0];
  for (let index = 0; index < at; index += 1) next[index] = numbers[index] ?? 0;
  next[at] = (numbers[at] ?? 0) + 1;
  return new Version(...next, [0]);
}

const ANY = [{ op: '>=', version: new Version(0, 0, 0) }];

function caret({ numbers, low }) {
  if (!numbers.length) return ANY;
  const first = numbers.findIndex((number) => number > 0);
  const at = first < 0 ? numbers.length - 1 : first;
  return [{ op: '>=', version: low }, { op: '<', version: after(numbers, at) }];
}

function tilde({ numbers, low }) {
  if (!numbers.length) return ANY;
  return [{ op: '>=', version: low }, { op: '<', version: after(numbers, Math.min(1, numbers.length - 1)) }];
}

function plain({ numbers, low }) {
  if (!numbers.length) return ANY;
  if (numbers.length === 3) return [{ op: '=', version: low }];
  return [{ op: '>=', version: low }, { op: '<', version: after(numbers, numbers.length - 1) }];
}

function comparator(text) {
  const [, op, rest] = /^(\^|~|>=|<=|>|<|=)?\s*(.*)$/.exec(text);
  const part = partial(rest);
  if (op === '^') return caret(part);
  if (op === '~') return tilde(part);
  if (op === undefined || op === '=') return plain(part);
  const whole = part.numbers.length === 3;
  if (!part.numbers.length) return op === '<' || op === '>' ? [{ op: '<', version: new Version(0, 0, 0, [0]) }] : ANY;
  if (op === '>' && !whole) return [{ op: '>=', version: after(part.numbers, part.numbers.length - 1) }];
  if (op === '<=' && !whole) return [{ op: '<', version: after(part.numbers, part.numbers.length - 1) }];
  return [{ op, version: part.low }];
}

function alternative(text) {
  const hyphen = /^(\S+)\s+-\s+(\S+)$/.exec(text);
  if (hyphen) return [...comparator(`>=${hyphen[1]}`), ...comparator(`<=${hyphen[2]}`)];
  const parts = text.replace(/([~^<>=])\s+/g, '$1').split(/\s+/).filter(Boolean);
  return parts.length ? parts.flatMap(comparator) : ANY;
}

const TESTS = {
  '=': (order) => order === 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

export class Range {
  constructor(text) {
    this.text = text.trim();
    this.alternatives = this.text.split('||').map((part) => alternative(part.trim()));
  }

  // A pre-release fits only where the range names one of the same numbers.
  has(version) {
    return this.alternatives.some((all) => {
      if (!all.every(({ op, version: bound }) => TESTS[op](compare(version, bound)))) return false;
      if (!version.pre.length) return true;
      return all.some(({ version: bound }) => bound.pre.length && String(bound.pre) !== '0' &&
        ['major', 'minor', 'patch'].every((field) => bound[field] === version[field]));
    });
  }
}

export function satisfies(version, range) {
  return new Range(range).has(Version.parse(version));
}
