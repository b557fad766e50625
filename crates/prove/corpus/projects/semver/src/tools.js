// What one does with many versions.

import { Range } from './range.js';
import { Version, VersionError, compare } from './version.js';

export function sort(texts, { descending = false } = {}) {
  const sorted = texts.map((text) => Version.parse(text)).sort(compare).map(String);
  return descending ? sorted.reverse() : sorted;
}

// The highest version that fits, or null.
export function best(texts, range) {
  const wanted = new Range(range);
  let found = null;
  for (const text of texts) {
    const version = Version.parse(text);
    if (wanted.has(version) && (!found || compare(version, found) > 0)) found = version;
  }
  return found && String(found);
}

// The next version of a kind: major, minor, patch or a name for pre-releases.
export function bump(text, kind) {
  const { major, minor, patch, pre } = Version.parse(text);
  switch (kind) {
    case 'major':
      return String(pre.length && !minor && !patch ? new Version(major, 0, 0) : new Version(major + 1, 0, 0));
    case 'minor':
      return String(pre.length && !patch ? new Version(major, minor, 0) : new Version(major, minor + 1, 0));
    case 'patch':
      return String(pre.length ? new Version(major, minor, patch) : new Version(major, minor, patch + 1));
    default: {
      if (!/^[a-z]+$/.test(kind)) throw new VersionError(`unknown kind ${kind}`);
      if (pre[0] === kind) return String(new Version(major, minor, patch, [kind, (pre[1] ?? -1) + 1]));
      return String(new Version(major, minor, pre.length ? patch : patch + 1, [kind, 0]));
    }
  }
}

// The largest field in which two versions differ, or null.
export function difference(a, b) {
  const [left, right] = [Version.parse(a), Version.parse(b)];
  for (const field of ['major', 'minor', 'patch']) {
    if (left[field] !== right[field]) return field;
  }
  return compare(left, right) === 0 ? null : 'pre';
}

// Versions by their major number, each group sorted.
export function groups(texts) {
  const result = new Map();
  for (const text of sort(texts)) {
    const { major } = Version.parse(text);
    if (!result.has(major)) result.set(major, []);
    result.get(major).push(text);
  }
  return result;
}
