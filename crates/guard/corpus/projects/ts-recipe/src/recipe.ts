import { formatAmount, parseAmount } from './fraction';
import { comfortable, type Unit } from './units';

export interface Ingredient {
  amount: number;
  unit: Unit | '';
  name: string;
}

export interface Recipe {
  title: string;
  serves: number;
  ingredients: Ingredient[];
}

const LINE = /^([\d/. ]+?)\s*(kg|g|oz|ml|l|cup|tbsp|tsp)?\s+([A-Za-z].*)$/;

export function parseIngredient(line: string): Ingredient {
  const found = LINE.exec(line.trim());
  if (!found) {
    throw new SyntaxError(`not an ingredient: ${line}`);
  }
  return { amount: parseAmount(found[1]), unit: (found[2] ?? '') as Unit | '', name: found[3] };
}

export function parseRecipe(text: string): Recipe {
  const [title, serves, ...rest] = text.split('\n').filter((line) => line.trim() !== '');
  const count = Number(/^serves (\d+)$/.exec(serves ?? '')?.[1]);
  if (!count) {
    throw new SyntaxError('second line must say whom it serves');
  }
  return { title, serves: count, ingredients: rest.map(parseIngredient) };
}

export function scale(recipe: Recipe, serves: number): Recipe {
  if (!Number.isInteger(serves) || serves < 1) {
    throw new RangeError(`cannot serve ${serves}`);
  }
  const factor = serves / recipe.serves;
  const ingredients = recipe.ingredients.map((item) => ({ ...item, amount: item.amount * factor }));
  return { ...recipe, serves, ingredients };
}

export function render(recipe: Recipe): string {
  const lines = recipe.ingredients.map((item) => {
    const [amount, unit] = item.unit === '' ? [item.amount, ''] : comfortable(item.amount, item.unit);
    return `- ${formatAmount(amount)}${unit ? ` ${unit}` : ''} ${item.name}`;
  });
  return [`# ${recipe.title} (${recipe.serves})`, ...lines, ''].join('\n');
}
