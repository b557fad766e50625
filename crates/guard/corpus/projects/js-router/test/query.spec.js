'use strict';

const { expect } = require('chai');
const { parseQuery, buildQuery, joinPath } = require('../lib/query');

describe('parseQuery', () => {
  it('reads pairs', () => {
    expect(parseQuery('?a=1&b=2')).to.deep.equal({ a: '1', b: '2' });
  });

  it('reads nothing', () => {
    expect(parseQuery('')).to.deep.equal({});
  });

  it('reads a plus as a space', () => {
    expect(parseQuery('q=two+words')).to.deep.equal({ q: 'two words' });
  });

  it('is limited', () => {
    const text = Array.from({ length: 21 }, (_, i) => `k${i}=1`).join('&');
    expect(() => parseQuery(text)).to.throw(RangeError, 'too many parameters');
  });

  const table = [
    { text: 'a', expected: { a: '' } },
    { text: 'a=&b', expected: { a: '', b: '' } },
    { text: 'a%20b=c', expected: { 'a b': 'c' } },
  ];
  table.forEach(({ text, expected }) => {
    it(`reads ${text}`, () => {
      expect(parseQuery(text)).to.deep.equal(expected);
    });
  });
});

describe('buildQuery', () => {
  it('sorts keys', () => {
    expect(buildQuery({ b: 2, a: 1 })).to.equal('a=1&b=2');
  });

  it('encodes', () => {
    expect(buildQuery({ q: 'a&b' })).to.equal('q=a%26b');
  });

  it('joins paths', () => {
    expect(joinPath('/api/', '/users')).to.equal('/api/users');
    expect(joinPath('/api', 'users')).to.equal('/api/users');
  });
});
