import { setTimeout as sleep } from 'node:timers/promises';

export const ATTEMPTS = 3;

/**
 * Asks every source for its entries.
 * @param {string[]} sources
 * @param {(source: string) => Promise<any[]>} read
 */
export async function collect(sources, read, { wait = (ms) => sleep(ms), log = console } = {}) {
  const results = await Promise.all(sources.map((source) => ask(source, read, wait, log)));
  return {
    feeds: results.filter((result) => result.entries),
    failed: results.filter((result) => result.error).map(({ source, error }) => ({ source, error })),
  };
}

async function ask(source, read, wait, log) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const entries = await read(source);
      if (!Array.isArray(entries)) throw new TypeError('no list of entries');
      return { source, entries };
    } catch (error) {
      if (attempt === ATTEMPTS || error instanceof TypeError) {
        log.error(`${source}: ${error.message}`);
        return { source, error: error.message };
      }
      await wait(100 * 2 ** attempt);
    }
  }
}
