import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it, mock } from 'node:test';
import { main } from '../src/cli.js';
import { collect } from '../src/index.js';
import { assertFixture, fixture, flaky, quiet, sink } from './helpers.js';

describe('collect', () => {
  it('asks again, with growing pauses', async () => {
    const read = flaky(2, [{ link: 'x' }]);
    const wait = mock.fn(async () => {});
    const { feeds, failed } = await collect(['a'], read, { wait, log: quiet() });
    assert.deepEqual(feeds, [{ source: 'a', entries: [{ link: 'x' }] }]);
    assert.deepEqual(failed, []);
    assert.deepEqual(wait.mock.calls.map((call) => call.arguments), [[200], [400]]);
  });

  it('gives up after three attempts and says so', async () => {
    const read = flaky(9);
    const log = quiet();
    const { feeds, failed } = await collect(['a'], read, { wait: async () => {}, log });
    assert.equal(read.calls, 3);
    assert.deepEqual(feeds, []);
    assert.deepEqual(failed, [{ source: 'a', error: 'failure 3' }]);
    assert.deepEqual(log.lines, ['a: failure 3']);
  });

  it('does not ask again for something that is no list', async () => {
    const read = mock.fn(async () => ({}));
    const { failed } = await collect(['a'], read, { log: quiet() });
    assert.equal(read.mock.callCount(), 1);
    assert.equal(failed[0].error, 'no list of entries');
  });

  it('keeps what the others gave', async () => {
    const read = async (source) => {
      if (source === 'bad') throw new TypeError('down');
      return [];
    };
    const { feeds, failed } = await collect(['a', 'bad', 'c'], read, { log: quiet() });
    assert.deepEqual(feeds.map(({ source }) => source), ['a', 'c']);
    assert.deepEqual(failed.map(({ source }) => source), ['bad']);
  });
});

describe('feedmerge', () => {
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'feedmerge-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('prints the merged feed', async () => {
    const out = sink();
    process.chdir(fileURLToPath(fixture('')));
    assert.equal(await main(['news.json', 'blog.json'], { out, log: quiet() }), 0);
    await assertFixture('merged.txt', out.text);
  });

  it('ends with 1 when a source fails', async () => {
    const file = join(folder, 'broken.json');
    await writeFile(file, '{');
    const log = quiet();
    assert.equal(await main([file], { out: sink(), log }), 1);
    assert.equal(log.lines.length, 1);
    assert.ok(log.lines[0].startsWith(`${file}: `));
  });
});
