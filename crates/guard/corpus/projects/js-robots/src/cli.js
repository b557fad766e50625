#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseRobots, RobotsError } from './parse.js';
import { report } from './report.js';

const [file] = process.argv.slice(2);
if (!file) {
  console.error('usage: robots FILE');
  process.exit(64);
}
try {
  process.stdout.write(report(parseRobots(readFileSync(file, 'utf8'))));
} catch (error) {
  if (!(error instanceof RobotsError)) throw error;
  console.error(error.message);
  process.exit(1);
}
