import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatClock, formatSlot, parseClock, parseSlot } from '../src/time.js';

const CLOCKS = [
  ['00:00', 0],
  ['9:05', 545],
  ['09:30', 570],
  ['23:59', 1439],
  ['24:00', 1440],
];

for (const [text, minutes] of CLOCKS) {
  test(`parseClock ${text}`, () => {
    assert.equal(parseClock(text), minutes);
  });
}

test('parseClock refuses what is no time', () => {
  for (const text of ['', '9', '9.30', '123:00', '09:3']) {
    assert.throws(() => parseClock(text), SyntaxError);
  }
  for (const text of ['24:01', '25:00', '12:60']) {
    assert.throws(() => parseClock(text), RangeError);
  }
});

test('formatClock is the inverse of parseClock', () => {
  for (let minutes = 0; minutes <= 1440; minutes += 7) {
    assert.equal(parseClock(formatClock(minutes)), minutes);
  }
});

test('formatClock pads', () => {
  assert.equal(formatClock(65), '01:05');
});

test('parseSlot', () => {
  assert.deepEqual(parseSlot('09:00-10:30'), { start: 540, end: 630 });
  assert.deepEqual(parseSlot(' 9:00 - 10:00 '), { start: 540, end: 600 });
});

test('parseSlot refuses', () => {
  assert.throws(() => parseSlot('09:00'), SyntaxError);
  assert.throws(() => parseSlot('09:00-10:00-11:00'), SyntaxError);
  assert.throws(() => parseSlot('10:00-10:00'), { name: 'RangeError', message: /ends before/ });
});

test('formatSlot', () => {
  assert.equal(formatSlot({ start: 540, end: 1440 }), '09:00-24:00');
});
