import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { intersect, merge, subtract, totalMinutes } from '../src/intervals.js';

const s = (start, end) => ({ start, end });

describe('merge', () => {
  it('joins overlaps', () => {
    assert.deepEqual(merge([s(5, 9), s(1, 6)]), [s(1, 9)]);
  });

  it('joins slots that touch', () => {
    assert.deepEqual(merge([s(1, 2), s(2, 3)]), [s(1, 3)]);
  });

  it('keeps a slot inside another', () => {
    assert.deepEqual(merge([s(0, 10), s(2, 3), s(11, 12)]), [s(0, 10), s(11, 12)]);
  });

  it('leaves its input alone', () => {
    const input = [s(3, 4), s(1, 3)];
    merge(input);
    assert.deepEqual(input, [s(3, 4), s(1, 3)]);
  });
});

describe('subtract', () => {
  const cases = [
    { name: 'nothing', slots: [s(0, 10)], taken: [], left: [s(0, 10)] },
    { name: 'all', slots: [s(0, 10)], taken: [s(0, 10)], left: [] },
    { name: 'the middle', slots: [s(0, 10)], taken: [s(4, 6)], left: [s(0, 4), s(6, 10)] },
    { name: 'the start', slots: [s(0, 10)], taken: [s(-5, 3)], left: [s(3, 10)] },
    { name: 'what only touches', slots: [s(5, 10)], taken: [s(0, 5), s(10, 12)], left: [s(5, 10)] },
    { name: 'across two', slots: [s(0, 4), s(6, 9)], taken: [s(3, 7)], left: [s(0, 3), s(7, 9)] },
  ];
  for (const { name, slots, taken, left } of cases) {
    it(name, () => {
      assert.deepEqual(subtract(slots, taken), left);
    });
  }
});

describe('intersect', () => {
  it('finds common parts', () => {
    assert.deepEqual(intersect([s(0, 5), s(8, 12)], [s(3, 9)]), [s(3, 5), s(8, 9)]);
  });

  it('is empty for slots that touch', () => {
    assert.deepEqual(intersect([s(0, 5)], [s(5, 9)]), []);
  });
});

it('totalMinutes counts overlaps once', () => {
  assert.equal(totalMinutes([s(0, 10), s(5, 20)]), 20);
});
