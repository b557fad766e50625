import { describe, expect, it } from 'vitest';
import { determinant, identity, multiply, ShapeError, transpose } from './matrix';

function unusedMatrix(): number[][] {
  return [[9]];
}

describe('identity', () => {
  it('has ones on the diagonal', () => {
    expect(identity(2)).toEqual([[1, 0], [0, 1]]);
    expect(identity(1)).toEqual([[1]]);
  });

  it('needs a size', () => {
    expect(() => identity(0)).toThrow(ShapeError);
  });
});

describe('multiply', () => {
  it('multiplies', () => {
    const left = [[1, 2], [3, 4]];
    expect(multiply(left, [[0, 1], [1, 0]])).toEqual([[2, 1], [4, 3]]);
    expect(multiply(left, identity(2))).toEqual(left);
  });

  it('refuses other shapes', () => {
    expect(() => multiply([[1, 2]], [[1, 2]])).toThrow('cannot multiply 2 columns by 1 rows');
  });

  it('is fast enough', () => {
    const big = identity(60);
    const started = performance.now();
    multiply(big, big);
    const elapsed = performance.now() - started;
    expect(elapsed).toBeLessThan(400);
  });
});

describe('transpose', () => {
  it('flips', () => {
    expect(transpose([[1, 2, 3]])).toEqual([[1], [2], [3]]);
  });

  it.skip('flips a sparse matrix', () => {
    expect(transpose([[0]])).toEqual([[0]]);
  });
});

describe('determinant', () => {
  it.each([
    [[[3]], 3],
    [[[1, 2], [3, 4]], -2],
    [[[2, 0], [0, 2]], 4],
  ])('of %j', (matrix, expected) => {
    expect(determinant(matrix)).toBe(expected);
  });

  it('needs a square', () => {
    expect(() => determinant([[1, 2]])).toThrow('matrix is not square');
  });
});
