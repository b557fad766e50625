'use strict';

const LIMIT = 20;

function parseQuery(text) {
  const query = {};
  const pairs = text.replace(/^\?/, '').split('&').filter(Boolean);
  if (pairs.length > LIMIT) {
    throw new RangeError('too many parameters');
  }
  for (const pair of pairs) {
    const [key, value = ''] = pair.split('=');
    query[decodeURIComponent(key)] = decodeURIComponent(value.replace(/\+/g, ' '));
  }
  return query;
}

function buildQuery(query) {
  return Object.keys(query)
    .sort()
    .map((key) => `${encodeURIComponent(key)}=${encodeURIComponent(query[key])}`)
    .join('&');
}

function stripHash(url) {
  return url.split('#')[0];
}

function joinPath(left, right) {
  return `${left.replace(/\/$/, '')}/${right.replace(/^\//, '')}`;
}

module.exports = { parseQuery, buildQuery, joinPath };
