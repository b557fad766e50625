// Semantic versions: major.minor.patch-pre.release+build.

export class VersionError extends Error {}

const MAX_LENGTH = 256;
const PATTERN = /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

function identifiers(text, source) {
  return text.split('.').map((part) => {
    if (part === '') throw new VersionError(`empty identifier in ${source}`);
    if (!/^\d+$/.test(part)) return part;
    if (part.length > 1 && part.startsWith('0')) throw new VersionError(`leading zero in ${source}`);
    return Number(part);
  });
}

export class Version {
  constructor(major, minor, patch, pre = [], build = '') {
    Object.assign(this, { major, minor, patch, pre, build });
    Object.freeze(this);
  }

  static parse(text) {
    const source = String(text).trim();
    if (source.length > MAX_LENGTH) throw new VersionError(`version is longer than ${MAX_LENGTH} characters`);
    const match = PATTERN.exec(source);
    if (!match) throw new VersionError(`not a version: ${source}`);
    const numbers = match.slice(1, 4).map(Number);
    if (numbers.some((number) => !Number.isSafeInteger(number))) throw new VersionError(`number too large in ${source}`);
    return new Version(...numbers, match[4] ? identifiers(match[4], source) : [], match[5] ?? '');
  }

  toString() {
    const pre = this.pre.length ? `-${this.pre.join('.')}` : '';
    const build = this.build ? `+${this.build}` : '';
    return `${this.major}.${this.minor}.${this.patch}${pre}${build}`;
  }
}

function compareIdentifiers(a, b) {
  if (a === b) return 0;
  const numeric = typeof a === 'number';
  if (numeric !== (typeof b === 'number')) return numeric ? -1 : 1;
  return a < b ? -1 : 1;
}

// Negative, zero or positive; the build does not count.
export function compare(a, b) {
  for (const field of ['major', 'minor', 'patch']) {
    if (a[field] !== b[field]) return a[field] - b[field];
  }
  if (!a.pre.length || !b.pre.length) return b.pre.length - a.pre.length;
  const length = Math.max(a.pre.length, b.pre.length);
  for (let index = 0; index < length; index += 1) {
    if (a.pre[index] === undefined) return -1;
    if (b.pre[index] === undefined) return 1;
    const order = compareIdentifiers(a.pre[index], b.pre[index]);
    if (order) return order;
  }
  return 0;
}
