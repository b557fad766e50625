import type { Matrix } from './matrix';

export function parseMatrix(text: string): Matrix {
  const rows = text.split(';').map((row) => row.trim().split(/\s+/).map(parseNumber));
  if (rows.some((row) => row.length !== rows[0].length)) {
    throw new SyntaxError('rows differ in length');
  }
  return rows;
}

export function parseNumber(text: string): number {
  const value = Number(text);
  if (text === '' || Number.isNaN(value)) {
    throw new SyntaxError(`invalid number ${text}`);
  }
  return value;
}

export function formatMatrix(matrix: Matrix): string {
  return matrix.map((row) => row.join(' ')).join('; ');
}

export function readMatrix(text: string): Matrix {
  try {
    return JSON.parse(text) as Matrix;
  } catch (error) {
    throw new SyntaxError('matrix is not JSON', { cause: error });
  }
}
