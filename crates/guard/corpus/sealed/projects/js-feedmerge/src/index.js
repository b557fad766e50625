export { normaliseLink, LinkError } from './link.js';
export { summarise } from './summary.js';
export { mergeEntries } from './merge.js';
export { collect } from './collect.js';
export { toText } from './text.js';
