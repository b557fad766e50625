import { readFileSync } from 'node:fs';
import { parseRobots } from '../src/parse.js';

export const data = (name) => readFileSync(new URL(`./data/${name}`, import.meta.url), 'utf8');

export const shop = () => parseRobots(data('shop.txt'));

/** Rules for everybody, one per line. */
export const rules = (...lines) => parseRobots(['User-agent: *', ...lines].join('\n'));
