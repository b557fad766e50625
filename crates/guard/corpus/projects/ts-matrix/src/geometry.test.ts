import { describe, expect, it } from 'vitest';
import { area, compassPoint, distance, normalizeAngle, toDegrees } from './geometry';

describe('distance', () => {
  it('is a length', () => {
    expect(distance({ x: 0, y: 0 }, { x: 3, y: 4 })).toBe(5);
  });

  it('is the same both ways', () => {
    for (let round = 0; round < 300; round += 1) {
      const a = { x: Math.random(), y: Math.random() };
      const b = { x: Math.random(), y: Math.random() };
      expect(distance(a, b)).toBe(distance(b, a));
    }
  });
});

describe('angles', () => {
  it('converts', () => {
    expect(toDegrees(Math.PI)).toBeCloseTo(180, 6);
    expect(toDegrees(0)).toBe(0);
  });

  it('normalizes', () => {
    expect(normalizeAngle(-90)).toBe(270);
    expect(normalizeAngle(725)).toBe(5);
  });

  it('must be finite', () => {
    expect(() => normalizeAngle(Infinity)).toThrow(RangeError);
  });

  it('has names', () => {
    expect(compassPoint(0)).toBe('N');
    expect(compassPoint(90)).toBe('E');
    expect(compassPoint(-45)).toBe('NW');
  });
});

describe('area', () => {
  it('of a square', () => {
    expect(area([{ x: 0, y: 0 }, { x: 2, y: 0 }, { x: 2, y: 2 }, { x: 0, y: 2 }])).toBe(4);
  });

  it('needs three points', () => {
    expect(() => area([])).toThrow('too few points');
  });
});
