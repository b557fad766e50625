'use strict';

const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const path = require('node:path');

// Compares a text with test/golden/NAME.txt.
exports.golden = (name, text) => {
  const file = path.join(__dirname, 'golden', `${name}.txt`);
  assert.equal(text, readFileSync(file, 'utf8'));
};
