import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CurrencyError, formatAmount, parseAmount, total } from '../src/amount.js';
import { eur, usd } from './helpers.js';

describe('parseAmount', () => {
  const amounts = [
    ['0 EUR', 0, 'EUR'],
    ['3.20 EUR', 320, 'EUR'],
    ['3.2 EUR', 320, 'EUR'],
    ['-0.05 USD', -5, 'USD'],
    ['1,234,567.89 CHF', 123456789, 'CHF'],
    ['1500 JPY', 1500, 'JPY'],
    ['0.125 BHD', 125, 'BHD'],
  ];
  for (const [text, units, currency] of amounts) {
    it(`reads ${text}`, () => {
      assert.deepEqual(parseAmount(text), { units, currency });
    });
  }

  it('knows no negative zero', () => {
    assert.ok(Object.is(parseAmount('-0.00 EUR').units, 0));
  });

  it('refuses', () => {
    assert.throws(() => parseAmount('12,34 EUR'), SyntaxError);
    assert.throws(() => parseAmount('EUR 3'), SyntaxError);
    assert.throws(() => parseAmount('1.234 EUR'), RangeError);
    assert.throws(() => parseAmount('1.5 JPY'), RangeError);
    assert.throws(() => parseAmount('3 ZZZ'), { name: 'CurrencyError', currency: 'ZZZ' });
  });
});

describe('formatAmount', () => {
  it('groups and pads', () => {
    assert.equal(formatAmount(eur(5)), '0.05 EUR');
    assert.equal(formatAmount(eur(-123456)), '-1,234.56 EUR');
    assert.equal(formatAmount({ units: 1234567, currency: 'JPY' }), '1,234,567 JPY');
    assert.equal(formatAmount({ units: 1000, currency: 'BHD' }), '1.000 BHD');
  });

  it('is read back', () => {
    for (let units = -250_000; units <= 250_000; units += 12_499) {
      assert.deepEqual(parseAmount(formatAmount(usd(units))), usd(units));
    }
  });

  it('knows its currencies', () => {
    assert.throws(() => formatAmount({ units: 1, currency: 'toString' }), CurrencyError);
  });
});

it('total sums by currency and drops zeros', () => {
  assert.deepEqual(total([usd(1), eur(5), usd(2), eur(-5)]), [usd(3)]);
  assert.deepEqual(total([usd(1), eur(5)]), [eur(5), usd(1)]);
  assert.deepEqual(total([]), []);
});
