import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MAX_FIELDS, QueryError, formatQuery, parseQuery } from '../src/query.js';

test('fields', () => {
  assert.deepEqual(parseQuery('?a=1&b=2&b=3&c'), { a: '1', b: ['2', '3'], c: '' });
  assert.deepEqual(parseQuery('a=b=c&&d='), { a: 'b=c', d: '' });
  assert.deepEqual(parseQuery(''), {});
});

test('escapes', () => {
  assert.deepEqual(parseQuery('q=a+b%20c%26'), { q: 'a b c&' });
  assert.throws(() => parseQuery('q=%zz'), QueryError);
});

test('prototypes are safe', () => {
  assert.deepEqual(Object.keys(parseQuery('__proto__=1&constructor=2')), ['constructor']);
});

test('number of fields', () => {
  const many = (count) => Array.from({ length: count }, (_, i) => `f${i}=1`).join('&');
  assert.equal(Object.keys(parseQuery(many(MAX_FIELDS))).length, 100);
  assert.throws(() => parseQuery(many(101)), /more than 100 fields/);
});

test('format', () => {
  assert.equal(formatQuery({ b: ['2', '3'], a: 'x y' }), '?a=x%20y&b=2&b=3');
  assert.equal(formatQuery({ a: null, b: undefined }), '');
});

test('format and parse', () => {
  for (const fields of [{ a: '1' }, { 'ä&': ['=', '+ '] }, { x: '', y: '%' }]) {
    assert.deepEqual(parseQuery(formatQuery(fields)), fields);
  }
});
