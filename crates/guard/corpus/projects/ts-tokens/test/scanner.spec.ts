import { expect } from 'chai';
import { kinds, scan, ScanError } from '../src/scanner';

function unusedSource(): string {
  return 'a = 1';
}

describe('scan', () => {
  it('finds tokens', () => {
    expect(scan('x = 1')).to.deep.equal([
      { kind: 'name', text: 'x', at: 0 },
      { kind: 'sign', text: '=', at: 2 },
      { kind: 'number', text: '1', at: 4 },
    ]);
  });

  it('finds nothing in nothing', () => {
    expect(scan('')).to.deep.equal([]);
    expect(scan('  \n')).to.deep.equal([]);
  });

  it('says where it stopped', () => {
    expect(() => scan('a ?')).to.throw(ScanError, 'unexpected ? at 2');
  });

  it('needs the end of a text', () => {
    expect(() => scan('"abc')).to.throw(ScanError, 'text is not closed');
  });

  it('is fast', () => {
    const source = 'name + 12.5 * (other)\n'.repeat(200);
    const started = Date.now();
    scan(source);
    const elapsed = Date.now() - started;
    expect(elapsed).to.be.below(500);
  });
});

describe('kinds', () => {
  const cases = [
    ['1.5', 'number'],
    ['f(x)', 'name sign name sign'],
    ['"a b"', 'text'],
    ['a-b', 'name sign name'],
  ];
  for (const [source, expected] of cases) {
    it(`of ${source}`, () => {
      expect(kinds(source)).to.equal(expected);
    });
  }

  it('of two names', () => {
    expect(kinds('a b')).to.equal('name name');
    expect(kinds('_')).to.equal('name');
  });

  it('of names', () => {
    expect(kinds('a b')).to.equal('name name');
    expect(kinds('_')).to.equal('name');
  });

  it.skip('of emoji', () => {
    expect(kinds('x')).to.equal('name');
  });
});
