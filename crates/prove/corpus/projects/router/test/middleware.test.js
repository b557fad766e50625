import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compose, limitBody, timeout } from '../src/middleware.js';

test('layers wrap each other', async () => {
  const seen = [];
  const layer = (name) => async (request, next) => {
    seen.push(`>${name}`);
    const answer = await next();
    seen.push(`<${name}`);
    return answer;
  };
  assert.equal(await compose([layer('a'), layer('b')])({}, () => 'end'), 'end');
  assert.deepEqual(seen, ['>a', '>b', '<b', '<a']);
});

test('a layer may answer itself', async () => {
  assert.equal(await compose([() => 'no'])({}, () => assert.fail('reached')), 'no');
});

test('next only once', async () => {
  const twice = async (request, next) => {
    await next();
    return next();
  };
  await assert.rejects(compose([twice])({}, () => 'end'), /called twice/);
});

test('limitBody', async () => {
  const run = compose([limitBody(4)]);
  assert.equal(await run({ body: 'abcd' }, () => 'ok'), 'ok');
  assert.equal(await run({}, () => 'ok'), 'ok');
  assert.deepEqual(await run({ body: 'äää' }, () => 'ok'), { status: 413, body: 'too large' });
});

test('timeout', async () => {
  const timers = {
    cleared: 0,
    setTimeout: (call) => { timers.call = call; return 1; },
    clearTimeout: () => { timers.cleared += 1; },
  };
  const run = compose([timeout(50, timers)]);
  assert.equal(await run({}, () => 'ok'), 'ok');
  const slow = run({}, () => new Promise(() => {}));
  timers.call();
  assert.equal((await slow).status, 503);
  assert.equal(timers.cleared, 2);
});
