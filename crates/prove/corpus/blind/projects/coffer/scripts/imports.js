// Every module of src has to load by itself.
import { readdirSync } from 'node:fs';

const root = new URL('../src/', import.meta.url);
for (const name of readdirSync(root).filter((n) => n.endsWith('.js')).sort()) {
  await import(new URL(name, root));
}
