import { formatCents, roundHalfUp, taxOf } from '../src/money';

describe('roundHalfUp', () => {
  test.each([
    [0.4, 0],
    [0.5, 1],
    [1.5, 2],
    [2.5, 3],
    [-0.6, -1],
  ])('%d becomes %d', (value, expected) => {
    expect(roundHalfUp(value)).toBe(expected);
  });
});

describe('taxOf', () => {
  it.each`
    cents   | rate          | tax
    ${1000} | ${'standard'} | ${190}
    ${1050} | ${'reduced'}  | ${74}
    ${999}  | ${'none'}     | ${0}
  `('$rate of $cents is $tax', ({ cents, rate, tax }) => {
    expect(taxOf(cents, rate)).toBe(tax);
  });
});

describe('formatCents', () => {
  it('writes thousands and cents', () => {
    expect(formatCents(0)).toBe('0,00');
    expect(formatCents(5)).toBe('0,05');
    expect(formatCents(123_456_789)).toBe('1.234.567,89');
    expect(formatCents(-100_000)).toBe('-1.000,00');
  });

  it('refuses what is no amount', () => {
    expect(() => formatCents(0.5)).toThrow(new RangeError('not an amount: 0.5'));
    expect(() => formatCents(Number.NaN)).toThrow(RangeError);
  });
});
