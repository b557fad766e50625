import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseIngredient, parseRecipe, type Recipe, render, scale } from '../src/recipe';

const text = readFileSync(new URL('./data/pancakes.txt', import.meta.url), 'utf8');

describe('parseIngredient', () => {
  it('reads amount, unit and name', () => {
    expect(parseIngredient('250 g flour')).toEqual({ amount: 250, unit: 'g', name: 'flour' });
  });

  it('does without a unit', () => {
    expect(parseIngredient('3 eggs')).toEqual({ amount: 3, unit: '', name: 'eggs' });
  });

  it('refuses a line without an amount', () => {
    expect(() => parseIngredient('salt')).toThrow(SyntaxError);
  });
});

describe('a recipe', () => {
  let pancakes: Recipe;

  beforeAll(() => {
    pancakes = parseRecipe(text);
  });

  it('is read', () => {
    expect(pancakes.title).toBe('Pancakes');
    expect(pancakes.serves).toBe(4);
    expect(pancakes.ingredients).toHaveLength(5);
  });

  it('is rendered', () => {
    expect(render(pancakes)).toMatchSnapshot();
  });

  it('is rendered for a feast', () => {
    expect(render(scale(pancakes, 20))).toMatchSnapshot();
  });

  it('is scaled', () => {
    const half = scale(pancakes, 2);
    expect(half.serves).toBe(2);
    expect(half.ingredients[0].amount).toBe(125);
    expect(half.ingredients.map((item) => item.name)).toEqual(['flour', 'milk', 'eggs', 'baking powder', 'butter']);
  });

  it('is not changed by scaling', () => {
    scale(pancakes, 40);
    expect(pancakes.ingredients[2].amount).toBe(3);
  });

  it('serves somebody', () => {
    expect(() => scale(pancakes, 0)).toThrow('cannot serve 0');
    expect(() => scale(pancakes, 1.5)).toThrow(RangeError);
  });

  it('says whom it serves', () => {
    expect(() => parseRecipe('Soup\n1 l water')).toThrow('second line must say whom it serves');
  });
});
