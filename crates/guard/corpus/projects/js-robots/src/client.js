/** Fetches robots.txt once per host. */

import { parseRobots } from './parse.js';
import { isAllowed } from './match.js';
import settings from './settings.js';

export class FetchFailed extends Error {}

export class Client {
  #cache = new Map();

  constructor(fetch, { agent = 'piper', now = Date.now } = {}) {
    if (typeof fetch !== 'function') {
      throw new TypeError('fetch must be a function');
    }
    this.fetch = fetch;
    this.agent = agent;
    this.now = now;
  }

  async robots(host) {
    const known = this.#cache.get(host);
    if (known && this.now() - known.time < settings.cacheMs) {
      return known.robots;
    }
    const answer = await this.fetch(`https://${host}/robots.txt`);
    if (answer.status >= 500) {
      throw new FetchFailed(`${host} answered ${answer.status}`);
    }
    const robots = answer.status === 404 ? { groups: [], sitemaps: [] } : parseRobots(answer.body, { strict: false });
    this.#cache.set(host, { robots, time: this.now() });
    return robots;
  }

  async allowed(address) {
    const url = new URL(address);
    if (!settings.respectRobots) {
      return true;
    }
    const robots = await this.robots(url.host);
    return isAllowed(robots, this.agent, url.pathname + url.search);
  }
}
