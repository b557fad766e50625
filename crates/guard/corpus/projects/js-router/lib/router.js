'use strict';

const { matchPath } = require('./match');
const { parseQuery } = require('./query');

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

class Router {
  constructor(log = () => {}) {
    this.routes = [];
    this.log = log;
  }

  on(method, pattern, handler) {
    if (!METHODS.includes(method)) {
      throw new TypeError(`unknown method: ${method}`);
    }
    if (typeof handler !== 'function') {
      throw new TypeError('handler must be a function');
    }
    this.routes.push({ method, pattern, handler });
    return this;
  }

  find(method, path) {
    let allowed = false;
    for (const route of this.routes) {
      const params = matchPath(route.pattern, path);
      if (params && route.method === method) return { handler: route.handler, params };
      allowed = allowed || Boolean(params);
    }
    throw new HttpError(allowed ? 405 : 404, allowed ? 'method not allowed' : 'not found');
  }

  async handle(method, url) {
    const [path, search = ''] = url.split('?');
    try {
      const { handler, params } = this.find(method, path);
      const body = await handler({ params, query: parseQuery(search) });
      return { status: 200, body };
    } catch (error) {
      this.log(error.message);
      if (error instanceof HttpError) {
        return { status: error.status, body: error.message };
      }
      return { status: 500, body: 'internal error' };
    }
  }
}

module.exports = { Router, HttpError };
