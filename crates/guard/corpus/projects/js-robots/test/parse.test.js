import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseLine, parseRobots, RobotsError } from '../src/parse.js';
import { shop } from './util.js';

describe('parseLine', () => {
  it('splits at the first colon', () => {
    assert.deepEqual(parseLine('Sitemap: https://a.example.org/x'), { field: 'sitemap', value: 'https://a.example.org/x' });
  });

  it('knows comments', () => {
    assert.equal(parseLine('   # nothing'), null);
    assert.equal(parseLine('Allow: /a # why').value, '/a');
  });

  it('names the line without a colon', () => {
    assert.throws(() => parseLine('Disallow /x', 7), { name: 'Error', message: 'line 7: missing colon' });
  });
});

describe('parseRobots', () => {
  it('joins names that follow each other', () => {
    const { groups } = shop();
    assert.equal(groups.length, 2);
    assert.deepEqual(groups[0].agents, ['piper', 'googlebot']);
  });

  it('keeps rules in order', () => {
    assert.deepEqual(shop().groups[0].rules, [
      { allow: false, path: '/cart' },
      { allow: true, path: '/cart/help' },
    ]);
  });

  it('leaves out empty rules', () => {
    assert.equal(shop().groups[1].rules.length, 2);
  });

  it('collects sitemaps', () => {
    assert.deepEqual(shop().sitemaps, ['https://shop.example.org/sitemap.xml']);
  });

  it('reads delays', () => {
    assert.equal(shop().groups[0].delay, 2.5);
    assert.throws(() => parseRobots('User-agent: *\nCrawl-delay: soon'), /bad delay soon/);
  });

  it('refuses rules of nobody', () => {
    assert.throws(() => parseRobots('Disallow: /'), RobotsError);
  });

  it('refuses unknown fields when strict', () => {
    assert.throws(() => parseRobots('Noindex: /'), /unknown field noindex/);
    assert.doesNotThrow(() => parseRobots('User-agent: *\nNoindex: /', { strict: false }));
  });
});
