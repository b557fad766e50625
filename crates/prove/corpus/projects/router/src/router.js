import { compose } from './middleware.js';
import { compile, fill, match } from './pattern.js';
import { parseQuery } from './query.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function compareRanks(a, b) {
  const length = Math.max(a.rank.length, b.rank.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (a.rank[index] ?? 4) - (b.rank[index] ?? 4);
    if (difference) return difference;
  }
  return 0;
}

export class Router {
  constructor() {
    this.routes = [];
    this.layers = [];
    this.names = new Map();
  }

  use(layer) {
    this.layers.push(layer);
    return this;
  }

  on(method, pattern, handler, name) {
    if (!METHODS.includes(method)) throw new TypeError(`unknown method ${method}`);
    if (typeof handler !== 'function') throw new TypeError('a handler is a function');
    const route = { method, handler, ...compile(pattern) };
    if (name) {
      if (this.names.has(name)) throw new TypeError(`name ${name} is taken`);
      this.names.set(name, route);
    }
    this.routes.push(route);
    this.routes.sort(compareRanks);
    return this;
  }

  find(method, path) {
    const allowed = new Set();
    for (const route of this.routes) {
      const params = match(route, path);
      if (!params) continue;
      if (route.method === method || (method === 'HEAD' && route.method === 'GET')) return { route, params };
      allowed.add(route.method);
    }
    return { allowed: [...allowed].sort() };
  }

  url(name, params = {}) {
    const route = this.names.get(name);
    if (!route) throw new RangeError(`no route called ${name}`);
    return fill(route, params);
  }

  async handle({ method, url, body }) {
    const [path, query = ''] = url.split(/\?(.*)/s);
    const found = this.find(method, path);
    if (!found.route) {
      if (found.allowed.length) return { status: 405, allow: found.allowed.join(', ') };
      return { status: 404 };
    }
    const request = { method, path, body, params: found.params };
    try {
      request.query = parseQuery(query);
    } catch (error) {
      return { status: 400, body: error.message };
    }
    const answer = await compose(this.layers)(request, found.route.handler);
    const response = typeof answer === 'string' ? { status: 200, body: answer } : { status: 200, ...answer };
    if (method === 'HEAD') delete response.body;
    return response;
  }
}
