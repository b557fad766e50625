import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

export const fixture = (name) => new URL(`./fixtures/${name}`, import.meta.url);

export async function assertFixture(name, actual) {
  assert.equal(actual, await readFile(fixture(name), 'utf8'));
}

/** A source of entries that fails a number of times first. */
export function flaky(failures, entries = []) {
  const read = async () => {
    read.calls += 1;
    if (read.calls <= failures) throw new Error(`failure ${read.calls}`);
    return entries;
  };
  read.calls = 0;
  return read;
}

export const quiet = () => {
  const lines = [];
  return { lines, error: (line) => lines.push(line) };
};

export const sink = () => ({ text: '', write(part) { this.text += part; } });
