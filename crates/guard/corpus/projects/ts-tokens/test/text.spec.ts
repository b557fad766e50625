import { expect } from 'chai';
import { camelCase, columnOf, entropy, lineOf, unquote } from '../src/text';

describe('unquote', () => {
  it('takes quotes off', () => {
    expect(unquote('"abc"')).to.equal('abc');
    expect(unquote('""')).to.equal('');
  });

  it('refuses other texts', () => {
    expect(() => unquote('abc')).to.throw(SyntaxError, 'not a text: abc');
  });
});

describe('positions', () => {
  it('has lines', () => {
    expect(lineOf('a\nb\nc', 4)).to.equal(3);
    expect(lineOf('abc', 1)).to.equal(1);
  });

  it('has columns', () => {
    expect(columnOf('a\nbcd', 4)).to.equal(3);
  });

  it('is not negative', () => {
    expect(() => lineOf('a', -1)).to.throw(RangeError);
  });
});

describe('camelCase', () => {
  it('joins words', () => {
    expect(camelCase('one_two_three')).to.equal('oneTwoThree');
    expect(camelCase('plain')).to.equal('plain');
  });

  it('never keeps an underscore before a letter', () => {
    for (let round = 0; round < 200; round += 1) {
      const name = `a_${Math.random().toString(36).slice(2)}`;
      expect(camelCase(name)).to.not.match(/_[a-z]/);
    }
  });
});

describe('entropy', () => {
  it('is zero for one letter', () => {
    expect(entropy('aaaa')).to.equal(0);
  });

  it('is one for two letters', () => {
    expect(entropy('abab')).to.be.closeTo(1, 1e-9);
  });
});
