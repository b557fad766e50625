const { parsePrice, formatPrice, discount, roundToFive } = require('../src/price');

describe('parsePrice', () => {
  it('reads whole amounts', () => {
    expect(parsePrice('12')).toBe(1200);
  });

  it('reads cents', () => {
    expect(parsePrice('12.34')).toBe(1234);
  });

  it('pads a short fraction', () => {
    expect(parsePrice('0.5')).toBe(50);
  });

  it.each([
    [''],
    ['12,5'],
    ['1.234'],
    ['-1'],
  ])('rejects %p', (text) => {
    expect(() => parsePrice(text)).toThrow(RangeError);
  });

  it('rejects what is not text', () => {
    expect(() => parsePrice(12)).toThrow('price must be a string');
  });
});

describe('formatPrice', () => {
  it.each([
    [0, 'EUR', '€0.00'],
    [5, 'USD', '$0.05'],
    [123456, 'GBP', '£1234.56'],
  ])('formats %d %s', (cents, currency, expected) => {
    expect(formatPrice(cents, currency)).toBe(expected);
  });

  it('uses euro by default', () => {
    expect(formatPrice(250)).toBe('€2.50');
  });

  it('knows its currencies', () => {
    expect(() => formatPrice(1, 'XXX')).toThrow('unknown currency: XXX');
  });
});

describe('discount', () => {
  it('takes a percentage off', () => {
    expect(discount(1000, 25)).toBe(750);
    expect(discount(999, 10)).toBe(899);
  });

  it('rejects nonsense', () => {
    expect(() => discount(100, 101)).toThrow(RangeError);
    expect(() => discount(100, -1)).toThrow(RangeError);
  });

  it('rounds to five', () => {
    expect(roundToFive(1013)).toBe(1015);
  });
});
