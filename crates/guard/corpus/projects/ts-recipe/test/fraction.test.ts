import { describe, expect, it } from 'vitest';
import { formatAmount, gcd, parseAmount } from '../src/fraction';

describe('parseAmount', () => {
  it.each([
    ['2', 2],
    ['1/4', 0.25],
    ['1 1/2', 1.5],
    ['0.75', 0.75],
  ])('reads %s', (text, value) => {
    expect(parseAmount(text)).toBe(value);
  });

  it('reads thirds', () => {
    expect(parseAmount('1/3')).toBeCloseTo(0.3333, 4);
  });

  it('refuses words', () => {
    expect(() => parseAmount('some')).toThrow('not an amount: "some"');
    expect(() => parseAmount('')).toThrow(RangeError);
  });

  it('does not divide by zero', () => {
    expect(() => parseAmount('1/0')).toThrow('division by zero');
  });
});

describe('formatAmount', () => {
  it('uses the signs of cook books', () => {
    expect(formatAmount(0.5)).toBe('½');
    expect(formatAmount(1.75)).toBe('1 ¾');
  });

  it('writes other fractions out', () => {
    expect(formatAmount(5 / 12)).toBe('5/12');
  });

  it('rounds to the kitchen', () => {
    expect(formatAmount(2.01)).toBe('2');
    expect(formatAmount(0.34)).toBe('⅓');
  });

  it('is undone by parseAmount', () => {
    for (let twelfths = 12; twelfths < 120; twelfths += 12) {
      expect(parseAmount(formatAmount(twelfths / 12))).toBe(twelfths / 12);
    }
  });
});

describe('gcd', () => {
  it('divides both', () => {
    expect(gcd(12, 18)).toBe(6);
    expect(gcd(7, 0)).toBe(7);
  });
});
