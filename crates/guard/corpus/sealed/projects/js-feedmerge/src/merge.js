import { LinkError, normaliseLink } from './link.js';
import { summarise } from './summary.js';

/** Milliseconds of a date, or -Infinity for none. */
function timeOf(entry) {
  const time = Date.parse(entry.date ?? '');
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/**
 * One list out of many: newest first, every link once.
 * @param {Array<{source: string, entries: Array<any>}>} feeds
 */
export function mergeEntries(feeds, { limit = 50 } = {}) {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`limit has to be positive, not ${limit}`);
  const merged = new Map();
  const rejected = [];
  for (const { source, entries } of feeds) {
    for (const entry of entries) {
      let link;
      try {
        link = normaliseLink(entry.link);
      } catch (error) {
        if (!(error instanceof LinkError)) throw error;
        rejected.push({ source, reason: error.message });
        continue;
      }
      const known = merged.get(link);
      if (known) {
        if (!known.sources.includes(source)) known.sources.push(source);
        if (timeOf(entry) > timeOf(known)) known.date = entry.date;
        continue;
      }
      merged.set(link, { link, title: entry.title ?? link, date: entry.date ?? null, summary: summarise(entry.html ?? ''), sources: [source] });
    }
  }
  const entries = [...merged.values()].sort((a, b) => timeOf(b) - timeOf(a) || a.link.localeCompare(b.link));
  return { entries: entries.slice(0, limit), rejected };
}
