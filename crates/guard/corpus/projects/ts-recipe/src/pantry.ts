import { convert } from './units';
import type { Ingredient, Recipe } from './recipe';

export interface PriceService {
  price(name: string): Promise<number>;
}

export const features = {
  shoppingList: true,
  nutrition: true,
};

export class Pantry {
  private readonly stock = new Map<string, Ingredient>();

  put(item: Ingredient): void {
    if (item.amount <= 0) {
      throw new RangeError(`no ${item.name} to put away`);
    }
    this.stock.set(item.name, item);
  }

  has(item: Ingredient): boolean {
    const stored = this.stock.get(item.name);
    if (!stored) {
      return false;
    }
    if (stored.unit === '' || item.unit === '') {
      return stored.unit === item.unit && stored.amount >= item.amount;
    }
    return convert(stored.amount, stored.unit, item.unit) >= item.amount;
  }

  /** What must be bought for a recipe. */
  missing(recipe: Recipe): string[] {
    if (!features.shoppingList) {
      return [];
    }
    return recipe.ingredients.filter((item) => !this.has(item)).map((item) => item.name);
  }
}

/** What the missing things cost; a name without a price is listed apart. */
export async function estimate(names: string[], service: PriceService): Promise<{ total: number; unknown: string[] }> {
  const unknown: string[] = [];
  let total = 0;
  for (const name of names) {
    try {
      total += await service.price(name);
    } catch (error) {
      if (!(error instanceof Error)) {
        throw error;
      }
      unknown.push(`${name} (${error.message})`);
    }
  }
  return { total: Math.round(total * 100) / 100, unknown };
}
