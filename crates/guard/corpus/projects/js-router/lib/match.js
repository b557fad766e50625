'use strict';

const cache = new Map();

function compile(pattern) {
  if (!pattern.startsWith('/')) {
    throw new Error(`pattern must start with a slash: ${pattern}`);
  }
  if (cache.has(pattern)) return cache.get(pattern);
  const names = [];
  const source = pattern.replace(/:([a-z]+)/g, (_, name) => {
    names.push(name);
    return '([^/]+)';
  });
  const compiled = { regex: new RegExp(`^${source}/?$`), names };
  cache.set(pattern, compiled);
  return compiled;
}

function matchPath(pattern, path) {
  const { regex, names } = compile(pattern);
  const match = regex.exec(path);
  if (!match) return null;
  const params = {};
  names.forEach((name, index) => {
    params[name] = decodeURIComponent(match[index + 1]);
  });
  return params;
}

module.exports = { compile, matchPath };
