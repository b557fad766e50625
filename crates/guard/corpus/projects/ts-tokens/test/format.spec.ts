import { expect } from 'chai';
import { countTokens, format, parseOptions } from '../src/format';

describe('format', () => {
  it('puts one space between tokens', () => {
    expect(format('a=1+2')).to.equal('a = 1 + 2');
    expect(format('f (x)')).to.equal('f ( x )');
  });

  it('leaves spaces out', () => {
    const tight = format('a = 1', { spaces: false });
    expect(tight).to.equal('a=1');
    expect(tight.length).to.equal(3);
  });
});

describe('parseOptions', () => {
  it('reads JSON', () => {
    expect(parseOptions('{"spaces": true}')).to.deep.equal({ spaces: true });
  });

  it('refuses anything else', () => {
    expect(() => parseOptions('spaces')).to.throw(SyntaxError, 'unreadable options');
  });
});

describe('countTokens', () => {
  it('counts', () => {
    expect(countTokens('a + b')).to.equal(3);
    expect(countTokens('')).to.equal(0);
  });
});
