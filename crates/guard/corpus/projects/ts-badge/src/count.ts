export const MAX_COUNT = 99;

export function formatCount(count: number): string {
  if (!Number.isFinite(count)) {
    throw new RangeError('count must be finite');
  }
  if (count < 0) {
    throw new RangeError('count must not be negative');
  }
  return count > MAX_COUNT ? `${MAX_COUNT}+` : String(Math.floor(count));
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function halve(count: number): number {
  return count / 2;
}

export function sumCounts(counts: number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
