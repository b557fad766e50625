import { test, describe } from 'node:test';
import assert from 'node:assert/strict';
import { describeStatus, isRetryable, parseLimits, parseRetryAfter } from '../src/header.js';

describe('parseRetryAfter', () => {
  test('reads seconds', () => {
    assert.equal(parseRetryAfter('120'), 120000);
    assert.equal(parseRetryAfter('0'), 0);
  });

  test('reads a date', () => {
    assert.equal(parseRetryAfter('Thu, 01 Jan 1970 00:00:10 GMT', 4000), 6000);
  });

  test('refuses nonsense', () => {
    assert.throws(() => parseRetryAfter('soon'), { message: 'invalid header soon' });
  });
});

describe('isRetryable', () => {
  test('knows statuses', () => {
    assert.equal(isRetryable(503), true);
    assert.equal(isRetryable(429), true);
    assert.equal(isRetryable(404), false);
  });
});

describe('describeStatus', () => {
  test('describes', () => {
    assert.equal(describeStatus(429), 'slow down');
    assert.equal(describeStatus(502), 'server trouble');
    assert.equal(describeStatus(200), 'fine');
  });

  test('refuses text', () => {
    assert.throws(() => describeStatus('200'), TypeError);
  });
});

describe('parseLimits', () => {
  test('reads limits', () => {
    assert.deepEqual(parseLimits('{"limit": 5, "window": 60}'), { limit: 5, window: 60 });
  });

  test('refuses what is not JSON', () => {
    assert.throws(() => parseLimits('{'), SyntaxError);
  });
});
