#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { collect, mergeEntries, toText } from './index.js';

export async function main(files, { out = process.stdout, log = console } = {}) {
  const read = async (file) => JSON.parse(await readFile(file, 'utf8'));
  const { feeds, failed } = await collect(files, read, { wait: async () => {}, log });
  out.write(toText(mergeEntries(feeds)));
  return failed.length > 0 ? 1 : 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = await main(process.argv.slice(2));
}
