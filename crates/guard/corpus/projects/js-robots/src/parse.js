/** Reads robots.txt into groups of rules. */

export class RobotsError extends Error {
  constructor(message, line) {
    super(`line ${line}: ${message}`);
    this.line = line;
  }
}

const KNOWN = new Set(['user-agent', 'allow', 'disallow', 'crawl-delay', 'sitemap']);

export function parseLine(text, number = 1) {
  const bare = text.replace(/#.*/, '').trim();
  if (bare === '') {
    return null;
  }
  const colon = bare.indexOf(':');
  if (colon < 0) {
    throw new RobotsError('missing colon', number);
  }
  const field = bare.slice(0, colon).trim().toLowerCase();
  return { field, value: bare.slice(colon + 1).trim() };
}

export function parseRobots(text, { strict = true } = {}) {
  const groups = [];
  const sitemaps = [];
  let group = null;
  let naming = false;
  for (const [index, line] of text.split('\n').entries()) {
    const entry = parseLine(line, index + 1);
    if (!entry) {
      continue;
    }
    if (strict && !KNOWN.has(entry.field)) {
      throw new RobotsError(`unknown field ${entry.field}`, index + 1);
    }
    if (entry.field === 'sitemap') {
      sitemaps.push(entry.value);
    } else if (entry.field === 'user-agent') {
      if (!naming) {
        group = { agents: [], rules: [], delay: 0 };
        groups.push(group);
      }
      group.agents.push(entry.value.toLowerCase());
      naming = true;
    } else {
      if (!group) {
        throw new RobotsError(`${entry.field} before any user-agent`, index + 1);
      }
      naming = false;
      addRule(group, entry, index + 1);
    }
  }
  return { groups, sitemaps };
}

function addRule(group, entry, number) {
  if (entry.field === 'crawl-delay') {
    const delay = Number(entry.value);
    if (!(delay >= 0)) {
      throw new RobotsError(`bad delay ${entry.value}`, number);
    }
    group.delay = delay;
  } else if (entry.value !== '') {
    group.rules.push({ allow: entry.field === 'allow', path: entry.value });
  }
}
