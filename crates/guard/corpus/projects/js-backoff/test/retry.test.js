import { test, describe } from 'node:test';
import assert from 'node:assert/strict';
import { retry, RetryError } from '../src/retry.js';

function failing(times) {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw new Error(`failure ${calls}`);
    return calls;
  };
}

function unusedClock() {
  return { now: 0 };
}

describe('retry', () => {
  test('returns the result', async () => {
    const result = await retry(failing(0));
    assert.equal(result, 1);
  });

  test('tries again', async () => {
    const delays = [];
    const result = await retry(failing(2), { sleep: async (delay) => delays.push(delay) });
    assert.equal(result, 3);
    assert.deepEqual(delays, [100, 200]);
  });

  test('gives up', async () => {
    await assert.rejects(retry(failing(9), { sleep: async () => {} }), RetryError);
  });

  test('says how often it tried', async () => {
    const error = await retry(failing(9), { attempts: 2, sleep: async () => {} }).catch((caught) => caught);
    assert.equal(error.attempts, 2);
    assert.equal(error.message, 'gave up after 2 attempts: failure 2');
  });

  test('does not try again when it makes no sense', async () => {
    const error = await retry(failing(1), { retryable: () => false }).catch((caught) => caught);
    assert.equal(error.message, 'failure 1');
  });

  test('needs an attempt', async () => {
    await assert.rejects(retry(failing(0), { attempts: 0 }), RangeError);
  });

  test('is fast when all is well', async () => {
    const started = Date.now();
    await retry(failing(0));
    const elapsed = Date.now() - started;
    assert.ok(elapsed < 100);
  });

  test('survives a sleeping laptop', { skip: 'needs hardware' }, async () => {
    assert.equal(await retry(failing(0)), 1);
  });
});
