'use strict';

const { wrap } = require('./wrap');

function roman(number) {
  if (!Number.isInteger(number) || number < 1 || number > 3999) throw new RangeError(`no Roman numeral for ${number}`);
  const steps = [
    [1000, 'm'], [900, 'cm'], [500, 'd'], [400, 'cd'], [100, 'c'], [90, 'xc'],
    [50, 'l'], [40, 'xl'], [10, 'x'], [9, 'ix'], [5, 'v'], [4, 'iv'], [1, 'i'],
  ];
  let text = '';
  let rest = number;
  for (const [value, letters] of steps) {
    while (rest >= value) {
      text += letters;
      rest -= value;
    }
  }
  return text;
}

function letters(number) {
  let text = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  }
  return text;
}

const MARKS = [(n) => `${n}.`, (n) => `${letters(n)})`, (n) => `${roman(n)}.`];

// A numbered outline from `[text, [children…]]`.
function outline(items, columns, depth = 0) {
  const mark = MARKS[depth % MARKS.length];
  const marks = items.map((_, index) => mark(index + 1));
  const room = Math.max(0, ...marks.map((text) => text.length)) + 1;
  const lines = [];
  items.forEach((item, index) => {
    const [text, children = []] = Array.isArray(item) ? item : [item];
    const inner = columns - room;
    const [first, ...rest] = wrap(text, inner).split('\n');
    lines.push(marks[index].padEnd(room) + first, ...rest.map((line) => ' '.repeat(room) + line));
    for (const line of outline(children, inner, depth + 1)) lines.push(' '.repeat(room) + line);
  });
  return lines;
}

module.exports = { letters, outline, roman };
