const DIGITS = { EUR: 2, USD: 2, CHF: 2, JPY: 0, BHD: 3 };

export class CurrencyError extends Error {
  constructor(currency) {
    super(`unknown currency: ${currency}`);
    this.name = 'CurrencyError';
    this.currency = currency;
  }
}

export function digitsOf(currency) {
  if (!Object.hasOwn(DIGITS, currency)) throw new CurrencyError(currency);
  return DIGITS[currency];
}

/** Reads '-1,234.50 EUR' as { units: -123450, currency: 'EUR' }. */
export function parseAmount(text) {
  const found = /^(-?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))? ([A-Z]{3})$/.exec(text.trim());
  if (!found) throw new SyntaxError(`cannot read amount: ${text}`);
  const [, sign, whole, fraction = '', currency] = found;
  const digits = digitsOf(currency);
  if (fraction.length > digits) throw new RangeError(`too many digits: ${text}`);
  const units = Number(whole.replaceAll(',', '') + fraction.padEnd(digits, '0'));
  return { units: sign && units ? -units : units, currency };
}

export function formatAmount({ units, currency }) {
  const digits = digitsOf(currency);
  const text = String(Math.abs(units)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = digits ? `.${text.slice(-digits)}` : '';
  return `${units < 0 ? '-' : ''}${whole}${fraction} ${currency}`;
}

/** Sums amounts by currency; currencies that come to zero are left out. */
export function total(amounts) {
  const sums = new Map();
  for (const { units, currency } of amounts) sums.set(currency, (sums.get(currency) ?? 0) + units);
  return [...sums]
    .filter(([, units]) => units !== 0)
    .map(([currency, units]) => ({ units, currency }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
