#!/usr/bin/env node
import { best, bump, sort } from '../src/tools.js';

const [command, ...rest] = process.argv.slice(2);

try {
  if (command === 'sort') console.log(sort(rest).join('\n'));
  else if (command === 'bump') console.log(bump(rest[0], rest[1] ?? 'patch'));
  else if (command === 'best') {
    const found = best(rest.slice(1), rest[0]);
    if (!found) process.exit(1);
    console.log(found);
  } else throw new Error('usage: semver-tool sort VERSION... | bump VERSION KIND | best RANGE VERSION...');
} catch (error) {
  console.error(error.message);
  process.exit(2);
}
