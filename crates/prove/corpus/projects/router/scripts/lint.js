// Every file of the product is valid and has no tabs.
import { readdirSync, readFileSync } from 'node:fs';

let bad = 0;
for (const name of readdirSync('src')) {
  const text = readFileSync(`src/${name}`, 'utf8');
  if (/\t|[ ]+$/m.test(text)) {
    console.error(`src/${name}: tabs or spaces at the end of a line`);
    bad += 1;
  }
}
process.exit(bad ? 1 : 0);
