import { describe, expect, it, vi } from 'vitest';
import { estimate, Pantry, type PriceService } from '../src/pantry';
import { parseRecipe } from '../src/recipe';

const soup = parseRecipe('Soup\nserves 2\n500 ml water\n2 carrots\n1 tsp salt\n');

function filled(): Pantry {
  const pantry = new Pantry();
  pantry.put({ amount: 2, unit: 'l', name: 'water' });
  pantry.put({ amount: 1, unit: '', name: 'carrots' });
  return pantry;
}

describe('Pantry', () => {
  it('compares across units', () => {
    expect(filled().has({ amount: 500, unit: 'ml', name: 'water' })).toBe(true);
    expect(filled().has({ amount: 9, unit: 'cup', name: 'water' })).toBe(false);
  });

  it('says what is missing', () => {
    expect(filled().missing(soup)).toEqual(['carrots', 'salt']);
  });

  it('is empty at first', () => {
    expect(new Pantry().missing(soup)).toHaveLength(3);
  });

  it('does not put nothing away', () => {
    expect(() => new Pantry().put({ amount: 0, unit: 'g', name: 'flour' })).toThrow('no flour to put away');
  });
});

describe('estimate', () => {
  const service: PriceService = { price: vi.fn(async (name: string) => (name === 'salt' ? 0.99 : 2.505)) };

  it('adds prices', async () => {
    await expect(estimate(['salt', 'rice'], service)).resolves.toEqual({ total: 3.5, unknown: [] });
    expect(service.price).toHaveBeenCalledTimes(2);
  });

  it('lists what has no price', async () => {
    const broken: PriceService = { price: vi.fn().mockRejectedValue(new Error('not sold')) };
    const result = await estimate(['saffron'], broken);
    expect(result.unknown).toEqual(['saffron (not sold)']);
    expect(result.total).toBe(0);
  });

  it('asks quickly', async () => {
    const started = Date.now();
    await estimate(Array.from({ length: 200 }, (_, index) => `item ${index}`), service);
    expect(Date.now() - started).toBeLessThan(300);
  }, 1000);
});
