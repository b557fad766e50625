const GLYPHS = new Map<string, string>([
  ['1/2', '½'],
  ['1/3', '⅓'],
  ['2/3', '⅔'],
  ['1/4', '¼'],
  ['3/4', '¾'],
]);

export function gcd(left: number, right: number): number {
  return right === 0 ? left : gcd(right, left % right);
}

/** Reads `2`, `1/3`, `1 1/2` and `0.25`. */
export function parseAmount(text: string): number {
  const mixed = /^(?:(\d+) )?(\d+)\/(\d+)$/.exec(text.trim());
  if (mixed) {
    const [, whole = '0', top, bottom] = mixed;
    if (Number(bottom) === 0) {
      throw new RangeError('division by zero');
    }
    return Number(whole) + Number(top) / Number(bottom);
  }
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) {
    throw new RangeError(`not an amount: "${text}"`);
  }
  return value;
}

/** Twelfths are as fine as a kitchen gets. */
export function formatAmount(value: number): string {
  const twelfths = Math.round(value * 12);
  const whole = Math.floor(twelfths / 12);
  const rest = twelfths % 12;
  if (rest === 0) {
    return String(whole);
  }
  const divisor = gcd(rest, 12);
  const text = `${rest / divisor}/${12 / divisor}`;
  const shown = GLYPHS.get(text) ?? text;
  return whole === 0 ? shown : `${whole} ${shown}`;
}
