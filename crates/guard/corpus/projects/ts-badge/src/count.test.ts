import { describe, expect, it } from 'vitest';
import { textColor } from './color';
import { formatCount, plural, sumCounts } from './count';

describe('formatCount', () => {
  it('shows small counts', () => {
    expect(formatCount(7)).toBe('7');
  });

  it('shows the limit', () => {
    expect(formatCount(99)).toBe('99');
  });

  it('caps', () => {
    expect(formatCount(100)).toBe('99+');
  });

  it.each([
    [-1, 'count must not be negative'],
    [NaN, 'count must be finite'],
    [Infinity, 'count must be finite'],
  ])('rejects %d', (count, message) => {
    expect(() => formatCount(count)).toThrow(message);
  });
});

describe('plural', () => {
  it('knows one', () => {
    expect(plural(1, 'file')).toBe('1 file');
  });

  it('knows many', () => {
    expect(plural(3, 'file')).toBe('3 files');
    expect(plural(2, 'child', 'children')).toBe('2 children');
  });

  it('sums', () => {
    expect(sumCounts([1, 2, 3])).toBe(6);
    expect(sumCounts([])).toBe(0);
  });

  it('is readable on white', () => {
    expect(textColor('#ffffff')).toBe('#000000');
  });
});
