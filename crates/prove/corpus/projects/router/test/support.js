import { Router } from '../src/router.js';

// A small library of books.
export function library() {
  const router = new Router();
  router.on('GET', '/books', () => 'all', 'books');
  router.on('GET', '/books/:id(\\d+)', ({ params }) => `book ${params.id}`, 'book');
  router.on('GET', '/books/:slug', ({ params }) => `slug ${params.slug}`);
  router.on('GET', '/books/new', () => 'form');
  router.on('POST', '/books', ({ body }) => ({ status: 201, body }));
  router.on('GET', '/files/*path', ({ params }) => `file ${params.path}`, 'file');
  router.on('GET', '/search/:page?', ({ params, query }) => ({ page: params.page ?? '1', query }), 'search');
  return router;
}

export const get = (router, url) => router.handle({ method: 'GET', url });
