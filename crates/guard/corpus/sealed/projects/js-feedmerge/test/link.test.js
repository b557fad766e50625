import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LinkError, normaliseLink, summarise } from '../src/index.js';

describe('normaliseLink', () => {
  const same = {
    'https://Example.org/a/': 'https://example.org/a',
    'https://example.org/a#top': 'https://example.org/a',
    'https://example.org/a?utm_source=x&b=2&a=1': 'https://example.org/a?a=1&b=2',
    'http://example.org:80/': 'http://example.org',
  };
  for (const [link, expected] of Object.entries(same)) {
    it(`normalises ${link}`, () => assert.equal(normaliseLink(link), expected));
  }

  it('refuses what is no web address', () => {
    assert.throws(() => normaliseLink('nope'), { name: 'LinkError', message: 'not a link: nope', link: 'nope' });
    assert.throws(() => normaliseLink('javascript:alert(1)'), /^LinkError: not a web address/);
    assert.throws(() => normaliseLink('https://a:b@example.org'), (error) => {
      assert.ok(error instanceof LinkError);
      assert.match(error.message, /^has a password/);
      return true;
    });
  });

  it('is idempotent', () => {
    for (const link of Object.keys(same)) {
      const once = normaliseLink(link);
      assert.equal(normaliseLink(once), once);
    }
  });
});

describe('summarise', () => {
  it('removes markup', () => {
    assert.equal(summarise('<p>Fish &amp; <b>chips</b></p><script>x()</script>'), 'Fish & chips');
  });

  it('cuts at a word', () => {
    assert.equal(summarise('one two three', 10), 'one two…');
    assert.equal(summarise('one two three', 13), 'one two three');
    assert.equal(summarise('incomprehensible', 6), 'incom…');
  });

  it('never gets longer than asked for', () => {
    const text = 'lorem ipsum dolor sit amet '.repeat(20);
    for (let longest = 2; longest < 200; longest += 1) {
      assert.ok(summarise(text, longest).length <= longest, `at ${longest}`);
    }
  });
});
