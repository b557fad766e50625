import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { formatMatrix, parseMatrix, parseNumber, readMatrix } from './parse';

describe('parseMatrix', () => {
  it('reads rows', () => {
    expect(parseMatrix('1 2; 3 4')).toEqual([[1, 2], [3, 4]]);
    expect(parseMatrix('7')).toEqual([[7]]);
  });

  it('refuses ragged rows', () => {
    expect(() => parseMatrix('1 2; 3')).toThrow('rows differ in length');
  });

  it('undoes formatting', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (row) => {
        expect(parseMatrix(formatMatrix([row]))).toEqual([row]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('parseNumber', () => {
  it('reads numbers', () => {
    expect(parseNumber('12')).toBe(12);
    expect(parseNumber('-1.5')).toBe(-1.5);
  });

  it('refuses words', () => {
    expect(() => parseNumber('one')).toThrow('invalid number one');
  });
});

describe('readMatrix', () => {
  it('reads JSON', () => {
    expect(readMatrix('[[1]]')).toEqual([[1]]);
  });

  it('refuses anything else', () => {
    expect(() => readMatrix('[[1')).toThrow(SyntaxError);
  });
});

describe('formatMatrix', () => {
  it('writes rows', () => {
    expect(formatMatrix([[1, 2], [3, 4]])).toBe('1 2; 3 4');
  });

  it('writes all rows', () => {
    expect(formatMatrix([[1, 2], [3, 4]])).toBe('1 2; 3 4');
  });
});
