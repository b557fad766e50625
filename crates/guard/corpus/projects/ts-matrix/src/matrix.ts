export type Matrix = number[][];

export class ShapeError extends Error {}

export function identity(size: number): Matrix {
  if (size < 1) {
    throw new ShapeError('size must be positive');
  }
  return Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_, column) => (row === column ? 1 : 0)));
}

export function multiply(left: Matrix, right: Matrix): Matrix {
  if (left[0].length !== right.length) {
    throw new ShapeError(`cannot multiply ${left[0].length} columns by ${right.length} rows`);
  }
  return left.map((row) => right[0].map((_, column) => row.reduce((sum, value, at) => sum + value * right[at][column], 0)));
}

export function transpose(matrix: Matrix): Matrix {
  return matrix[0].map((_, column) => matrix.map((row) => row[column]));
}

export function determinant(matrix: Matrix): number {
  if (matrix.some((row) => row.length !== matrix.length)) {
    throw new ShapeError('matrix is not square');
  }
  if (matrix.length === 1) return matrix[0][0];
  return matrix[0].reduce((sum, value, at) => sum + (at % 2 ? -value : value) * determinant(minor(matrix, at)), 0);
}

function minor(matrix: Matrix, skip: number): Matrix {
  return matrix.slice(1).map((row) => row.filter((_, at) => at !== skip));
}

function trace(matrix: Matrix): number {
  return matrix.reduce((sum, row, at) => sum + row[at], 0);
}
