export type Rate = 'standard' | 'reduced' | 'none';

export const RATES: Record<Rate, number> = { standard: 19, reduced: 7, none: 0 };

/** Rounds half up, for negative values towards zero at a half. */
export function roundHalfUp(value: number): number {
  return Math.floor(value + 0.5);
}

export function taxOf(cents: number, rate: Rate): number {
  return roundHalfUp((cents * RATES[rate]) / 100);
}

export function formatCents(cents: number): string {
  if (!Number.isSafeInteger(cents)) throw new RangeError(`not an amount: ${cents}`);
  const sign = cents < 0 ? '-' : '';
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '.');
  return `${sign}${whole},${digits.slice(-2)}`;
}
