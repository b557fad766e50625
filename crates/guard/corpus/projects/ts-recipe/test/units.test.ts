import { describe, expect, it, test } from 'vitest';
import { comfortable, convert, UnitError } from '../src/units';

describe('convert', () => {
  it.each([
    [1, 'kg', 'g', 1000],
    [2, 'oz', 'g', 56.699],
    [3, 'tsp', 'tbsp', 1],
    [0, 'cup', 'l', 0],
  ] as const)('turns %d %s into %s', (amount, from, to, expected) => {
    expect(convert(amount, from, to)).toBeCloseTo(expected, 4);
  });

  it('does not weigh what is poured', () => {
    expect(() => convert(1, 'g', 'ml')).toThrow(UnitError);
    expect(() => convert(1, 'cup', 'oz')).toThrow('cannot turn cup into oz');
  });

  it('refuses negative amounts', () => {
    expect(() => convert(-1, 'g', 'kg')).toThrow('negative amount: -1');
  });
});

describe('comfortable', () => {
  test('large amounts get larger units', () => {
    expect(comfortable(1500, 'g')).toEqual([1.5, 'kg']);
    expect(comfortable(1000, 'ml')).toEqual([1, 'l']);
  });

  test('three teaspoons are a tablespoon', () => {
    expect(comfortable(6, 'tsp')).toEqual([2, 'tbsp']);
    expect(comfortable(4, 'tsp')).toEqual([4, 'tsp']);
  });

  test('other amounts stay', () => {
    expect(comfortable(999, 'g')).toEqual([999, 'g']);
  });
});
