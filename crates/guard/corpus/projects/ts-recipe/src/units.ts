/** Kitchen measures and how they turn into each other. */

export type Unit = 'g' | 'kg' | 'oz' | 'ml' | 'l' | 'cup' | 'tbsp' | 'tsp';

const GRAMS: Partial<Record<Unit, number>> = { g: 1, kg: 1000, oz: 28.3495 };
const MILLILITRES: Partial<Record<Unit, number>> = { ml: 1, l: 1000, cup: 236.588, tbsp: 14.7868, tsp: 4.92892 };

export class UnitError extends Error {}

export function convert(amount: number, from: Unit, to: Unit): number {
  if (amount < 0) {
    throw new UnitError(`negative amount: ${amount}`);
  }
  for (const table of [GRAMS, MILLILITRES]) {
    const source = table[from];
    const target = table[to];
    if (source !== undefined && target !== undefined) {
      return (amount * source) / target;
    }
  }
  throw new UnitError(`cannot turn ${from} into ${to}`);
}

/** The unit in which an amount reads best. */
export function comfortable(amount: number, unit: Unit): [number, Unit] {
  if (unit === 'g' && amount >= 1000) {
    return [amount / 1000, 'kg'];
  }
  if (unit === 'ml' && amount >= 1000) {
    return [amount / 1000, 'l'];
  }
  if (unit === 'tsp' && amount >= 3 && amount % 3 === 0) {
    return [amount / 3, 'tbsp'];
  }
  return [amount, unit];
}
