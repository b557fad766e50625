import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Version, VersionError, compare } from '../src/version.js';

describe('parse', () => {
  it('reads and writes', () => {
    for (const text of ['1.2.3', '0.0.0', '1.0.0-alpha.1', '1.0.0-x-y.7+build.01', '10.20.30+b']) {
      assert.equal(String(Version.parse(text)), text);
    }
    assert.equal(String(Version.parse(' v1.2.3 ')), '1.2.3');
  });

  it('knows the parts', () => {
    const version = Version.parse('1.2.3-rc.4+5');
    assert.deepEqual({ ...version }, { major: 1, minor: 2, patch: 3, pre: ['rc', 4], build: '5' });
  });

  it('refuses', () => {
    for (const text of ['', '1', '1.2', '1.2.3.4', '01.2.3', '1.2.3-', '1.2.3-a..b', '1.2.3-01', 'a.b.c', '1.2.99999999999999999']) {
      assert.throws(() => Version.parse(text), VersionError, text);
    }
    assert.throws(() => Version.parse(`1.2.3-${'a'.repeat(300)}`), /longer than 256/);
  });
});

describe('compare', () => {
  const ascending = ['0.9.9', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1',
    '1.0.0', '1.0.1', '1.2.0', '1.10.0', '2.0.0'].map(Version.parse);

  it('orders', () => {
    ascending.forEach((a, i) => ascending.forEach((b, j) => {
      assert.equal(Math.sign(compare(a, b)), Math.sign(i - j), `${a} and ${b}`);
    }));
  });

  it('ignores the build', () => {
    assert.equal(compare(Version.parse('1.0.0+a'), Version.parse('1.0.0+b')), 0);
  });
});
