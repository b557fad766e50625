'use strict';

const { take, width } = require('./width');

const MIN_COLUMNS = 4;

// Pieces that may be set apart: words, and the parts of words with hyphens.
function pieces(word) {
  return word.split(/(?<=[^-]-)(?=[^-])/);
}

function chop(word, columns) {
  const parts = [];
  let rest = word;
  while (width(rest) > columns) {
    const part = take(rest, columns);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  parts.push(rest);
  return parts;
}

function wrapParagraph(text, columns, first, next) {
  const lines = [];
  let line = first;
  let empty = true;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    for (const [index, piece] of pieces(word).entries()) {
      const space = empty || index > 0 ? '' : ' ';
      if (width(line + space + piece) <= columns) {
        line += space + piece;
        empty = false;
        continue;
      }
      if (!empty) {
        lines.push(line);
        line = next;
      }
      const parts = chop(piece, columns - width(line));
      for (const part of parts.slice(0, -1)) {
        lines.push(line + part);
        line = next;
      }
      line += parts.at(-1);
      empty = false;
    }
  }
  if (!empty || !lines.length) lines.push(line.trimEnd());
  return lines;
}

// Lines of at most so many columns; empty lines separate paragraphs.
function wrap(text, columns, { indent = '', hanging = indent, keepLines = false } = {}) {
  if (!Number.isInteger(columns) || columns < MIN_COLUMNS) throw new RangeError(`at least ${MIN_COLUMNS} columns`);
  if (Math.max(width(indent), width(hanging)) > columns - MIN_COLUMNS) throw new RangeError('the indent is too wide');
  const paragraphs = text.replace(/\r\n/g, '\n').split(keepLines ? /\n/ : /\n[ \t]*\n\s*/);
  const blocks = paragraphs.map((paragraph) => wrapParagraph(paragraph, columns, indent, hanging).join('\n'));
  return blocks.join(keepLines ? '\n' : '\n\n');
}

// Both margins straight, the last line excepted.
function justify(text, columns) {
  const lines = wrap(text, columns).split('\n');
  return lines.map((line, index) => {
    const last = index === lines.length - 1 || lines[index + 1] === '';
    const words = line.split(' ');
    if (last || words.length < 2) return line;
    const gaps = words.length - 1;
    const missing = columns - width(line);
    return words.map((word, at) => {
      if (at === gaps) return word;
      return word + ' '.repeat(1 + Math.floor(missing / gaps) + (at < missing % gaps ? 1 : 0));
    }).join('');
  }).join('\n');
}

// Removes the indent that all lines share.
function dedent(text) {
  const lines = text.replace(/^\n/, '').split('\n');
  const depths = lines.filter((line) => line.trim()).map((line) => /^ */.exec(line)[0].length);
  const depth = depths.length ? Math.min(...depths) : 0;
  return lines.map((line) => line.slice(depth).trimEnd()).join('\n');
}

module.exports = { chop, dedent, justify, wrap };
