const SYMBOLS = { EUR: '€', USD: '$', GBP: '£' };

function parsePrice(text) {
  if (typeof text !== 'string') {
    throw new TypeError('price must be a string');
  }
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (!match) {
    throw new RangeError(`not a price: ${text}`);
  }
  return Number(match[1]) * 100 + Number((match[2] || '').padEnd(2, '0'));
}

function formatPrice(cents, currency = 'EUR') {
  const symbol = SYMBOLS[currency];
  if (!symbol) {
    throw new RangeError(`unknown currency: ${currency}`);
  }
  return `${symbol}${(cents / 100).toFixed(2)}`;
}

function discount(cents, percent) {
  if (percent < 0 || percent > 100) {
    throw new RangeError('percent out of range');
  }
  return Math.round(cents * (1 - percent / 100));
}

function legacyFormat(cents) {
  return String(cents / 100);
}

function roundToFive(cents) {
  return Math.round(cents / 5) * 5;
}

module.exports = { parsePrice, formatPrice, discount, roundToFive };
