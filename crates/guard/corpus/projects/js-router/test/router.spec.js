'use strict';

const { expect } = require('chai');
const sinon = require('sinon');
const { Router, HttpError } = require('../lib/router');
const { parseQuery } = require('../lib/query');

describe('Router', function () {
  this.retries(1);
  let log;
  let router;

  beforeEach(() => {
    log = sinon.spy();
    router = new Router(log);
    router.on('GET', '/users/:id', ({ params }) => `user ${params.id}`);
    router.on('GET', '/search', ({ query }) => query.q);
  });

  afterEach(() => {
    sinon.restore();
  });

  it('answers', async () => {
    const response = await router.handle('GET', '/users/7');
    expect(response).to.deep.equal({ status: 200, body: 'user 7' });
  });

  it('passes the query', async () => {
    const response = await router.handle('GET', '/search?q=tea');
    expect(response.status).to.equal(200);
    expect(response.body).to.equal('tea');
  });

  it('knows what it does not know', async () => {
    const response = await router.handle('GET', '/nothing');
    expect(response).to.deep.equal({ status: 404, body: 'not found' });
    expect(log.calledOnceWith('not found')).to.equal(true);
  });

  it('knows other methods', async () => {
    const response = await router.handle('POST', '/users/7');
    expect(response.status).to.equal(405);
  });

  it('hides internal errors', async () => {
    router.on('GET', '/boom', () => {
      throw new Error('secret');
    });
    const response = await router.handle('GET', '/boom');
    expect(response.status).to.equal(500);
    expect(response.body).to.not.include('secret');
  });

  it('reports errors with a status', async () => {
    router.on('PUT', '/users/:id', () => {
      throw new HttpError(409, 'conflict');
    });
    expect(await router.handle('PUT', '/users/1')).to.deep.equal({ status: 409, body: 'conflict' });
  });

  it('rejects unknown methods', () => {
    expect(() => router.on('FETCH', '/', () => {})).to.throw(TypeError, 'unknown method: FETCH');
  });

  it('needs a handler', () => {
    expect(() => router.on('GET', '/x', null)).to.throw(TypeError);
  });

  it('reads an empty query', () => {
    expect(parseQuery('')).to.deep.equal({});
  });
});
