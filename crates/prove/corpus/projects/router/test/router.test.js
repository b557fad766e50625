import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Router } from '../src/router.js';
import { get, library } from './support.js';

describe('routes', () => {
  it('the most specific one wins', async () => {
    const router = library();
    for (const [url, body] of [
      ['/books', 'all'],
      ['/books/17', 'book 17'],
      ['/books/new', 'form'],
      ['/books/emma', 'slug emma'],
      ['/files/a/b.txt', 'file a/b.txt'],
    ]) {
      assert.deepEqual(await get(router, url), { status: 200, body });
    }
  });

  it('unknown paths', async () => {
    assert.deepEqual(await get(library(), '/nowhere'), { status: 404 });
  });

  it('unknown methods', async () => {
    assert.deepEqual(await library().handle({ method: 'DELETE', url: '/books' }), { status: 405, allow: 'GET, POST' });
  });

  it('HEAD has no body', async () => {
    assert.deepEqual(await library().handle({ method: 'HEAD', url: '/books' }), { status: 200 });
  });

  it('keeps the status of the handler', async () => {
    const answer = await library().handle({ method: 'POST', url: '/books', body: 'Emma' });
    assert.deepEqual(answer, { status: 201, body: 'Emma' });
  });

  it('reads the query', async () => {
    assert.deepEqual(await get(library(), '/search/2?q=a?b'), { status: 200, page: '2', query: { q: 'a?b' } });
    assert.equal((await get(library(), '/search?q=%zz')).status, 400);
  });
});

describe('names', () => {
  it('gives urls', () => {
    const router = library();
    assert.equal(router.url('book', { id: 5 }), '/books/5');
    assert.equal(router.url('search'), '/search');
    assert.throws(() => router.url('magazine'), /no route called magazine/);
  });

  it('are unique', () => {
    assert.throws(() => library().on('GET', '/b', () => '', 'book'), /taken/);
  });
});

it('refuses nonsense', () => {
  assert.throws(() => new Router().on('FETCH', '/', () => ''), /unknown method/);
  assert.throws(() => new Router().on('GET', '/', 'text'), /function/);
});

it('layers see the request', async () => {
  const router = library().use((request, next) => (request.params.id === '13' ? { status: 418 } : next()));
  assert.equal((await get(router, '/books/13')).status, 418);
  assert.equal((await get(router, '/books/14')).status, 200);
});
