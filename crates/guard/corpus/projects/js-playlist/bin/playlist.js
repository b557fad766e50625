#!/usr/bin/env node
'use strict';

const fs = require('node:fs');
const { parse } = require('../lib/m3u');
const { clock, total } = require('../lib/time');

function main([file]) {
  if (!file) {
    console.error('usage: playlist FILE');
    process.exit(2);
  }
  const tracks = parse(fs.readFileSync(file, 'utf8'));
  console.log(`${tracks.length} tracks, ${clock(total(tracks))}`);
}

main(process.argv.slice(2));
