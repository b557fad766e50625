import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { Client, FetchFailed } from '../src/client.js';
import { data } from './util.js';

describe('Client', () => {
  let fetch;
  let client;
  let time;

  beforeEach(() => {
    time = 1000;
    fetch = mock.fn(async () => ({ status: 200, body: data('shop.txt') }));
    client = new Client(fetch, { now: () => time });
  });

  it('asks for robots.txt', async () => {
    await client.robots('shop.example.org');
    assert.deepEqual(fetch.mock.calls[0].arguments, ['https://shop.example.org/robots.txt']);
  });

  it('asks once a minute', async () => {
    await client.robots('shop.example.org');
    time += 59_999;
    await client.robots('shop.example.org');
    assert.equal(fetch.mock.callCount(), 1);
    time += 1;
    await client.robots('shop.example.org');
    assert.equal(fetch.mock.callCount(), 2);
  });

  it('allows what is allowed', async () => {
    assert.equal(await client.allowed('https://shop.example.org/cart/help'), true);
    assert.equal(await client.allowed('https://shop.example.org/cart?id=1'), false);
  });

  it('takes a missing file as consent', async () => {
    fetch.mock.mockImplementation(async () => ({ status: 404, body: '' }));
    assert.equal(await client.allowed('https://shop.example.org/cart'), true);
  });

  it('fails when the host does', async () => {
    fetch.mock.mockImplementation(async () => ({ status: 503, body: '' }));
    await assert.rejects(client.allowed('https://shop.example.org/'), FetchFailed);
    await assert.rejects(client.robots('b.example.org'), /b.example.org answered 503/);
  });

  it('needs a function', () => {
    assert.throws(() => new Client('fetch'), { message: 'fetch must be a function' });
  });
});
