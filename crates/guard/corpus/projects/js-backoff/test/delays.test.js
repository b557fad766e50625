import { test, describe } from 'node:test';
import assert from 'node:assert/strict';
import { exponential, jittered, linear, totalDelay, MAX_DELAY } from '../src/delays.js';

describe('exponential', () => {
  test('doubles', () => {
    assert.equal(exponential(1), 100);
    assert.equal(exponential(2), 200);
    assert.equal(exponential(4, 10), 80);
  });

  test('has a ceiling', () => {
    assert.equal(exponential(30), MAX_DELAY);
    assert.equal(MAX_DELAY, 60000);
  });

  test('starts at one', () => {
    assert.throws(() => exponential(0), RangeError);
  });
});

describe('linear', () => {
  const cases = [
    [1, 100],
    [3, 300],
    [7, 700],
  ];
  for (const [attempt, expected] of cases) {
    test(`attempt ${attempt}`, () => {
      assert.equal(linear(attempt), expected);
    });
  }

  test('takes a step', () => {
    assert.equal(linear(4, 5), 20);
  });
});

describe('jittered', () => {
  test('uses the random number', () => {
    assert.equal(jittered(100, () => 0), 50);
    assert.equal(jittered(100, () => 1), 100);
  });

  test('stays below the delay', () => {
    for (let round = 0; round < 400; round += 1) {
      const delay = Math.floor(Math.random() * 1000);
      assert.ok(jittered(delay) <= delay + 1);
    }
  });
});

describe('totalDelay', () => {
  test('adds up', () => {
    assert.equal(totalDelay(3, 100), 700);
  });

  test('adds up small ones', () => {
    assert.equal(totalDelay(2, 1), 3);
  });

  test('adds up delays', () => {
    assert.equal(totalDelay(3, 100), 700);
  });
});
