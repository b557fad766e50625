import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { PatternError, compile, fill, match } from '../src/pattern.js';

describe('match', () => {
  const cases = [
    ['/', '/', {}],
    ['/a/b', '/a/b', {}],
    ['/a/b', '/A/b/', {}],
    ['/a/b', '/a', null],
    ['/a', '/a/b', null],
    ['/u/:id', '/u/7', { id: '7' }],
    ['/u/:id', '/u/a%20b', { id: 'a b' }],
    ['/u/:id(\\d+)', '/u/x7', null],
    ['/u/:id?', '/u', {}],
    ['/f/*path', '/f/a/b%2Fc', { path: 'a/b/c' }],
    ['/f/*', '/f', { rest: '' }],
    ['/u/:id', '/u/%zz', { id: '%zz' }],
  ];
  for (const [pattern, path, params] of cases) {
    it(`${pattern} and ${path}`, () => {
      assert.deepEqual(match(compile(pattern), path), params);
    });
  }
});

describe('compile', () => {
  for (const pattern of ['a', '/*a/b', '/:a/:a', '/:1', '/:a?/b']) {
    it(`refuses ${pattern}`, () => {
      assert.throws(() => compile(pattern), PatternError);
    });
  }
});

describe('fill', () => {
  it('is the opposite of match', () => {
    for (const [pattern, params] of [
      ['/u/:id', { id: 'ä/ö' }],
      ['/f/*path', { path: 'a b/c' }],
      ['/s/:page?', {}],
    ]) {
      const compiled = compile(pattern);
      assert.deepEqual(match(compiled, fill(compiled, params)), params);
    }
  });

  it('writes paths', () => {
    assert.equal(fill(compile('/u/:id/e'), { id: 'a b' }), '/u/a%20b/e');
  });

  it('refuses what does not fit', () => {
    assert.throws(() => fill(compile('/u/:id'), {}), /missing parameter id/);
    assert.throws(() => fill(compile('/u/:id(\\d+)'), { id: 'x' }), /does not fit: x/);
  });
});
