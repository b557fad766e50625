'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { expect } = require('chai');
const { Hall } = require('../../lib');

const PLAN = `
// stage
A A ..__..
B B .....
C C ..#...
`;

function clock(start = 1_000) {
  const time = () => time.value;
  time.value = start;
  time.forward = (ms) => { time.value += ms; };
  return time;
}

function makeHall(options = {}) {
  const now = options.now ?? clock();
  return { hall: new Hall(options.plan ?? PLAN, { ...options, now }), now };
}

function caught(action) {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

function expectGolden(name, actual) {
  const expected = fs.readFileSync(path.join(__dirname, '..', 'golden', name), 'utf8');
  expect(actual).to.equal(expected);
}

module.exports = { PLAN, clock, makeHall, caught, expectGolden };
