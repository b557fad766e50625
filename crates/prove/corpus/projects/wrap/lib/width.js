'use strict';

// How many columns a text takes on a terminal.

const ANSI = /\u001b\[[0-9;]*m/g;

function isWide(code) {
  return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) || (code >= 0xff00 && code <= 0xff60) || (code >= 0x1f300 && code <= 0x1faff);
}

function isMark(code) {
  return (code >= 0x300 && code <= 0x36f) || code === 0x200b || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f);
}

function charWidth(char) {
  const code = char.codePointAt(0);
  if (code < 32 || isMark(code)) return 0;
  return isWide(code) ? 2 : 1;
}

function plain(text) {
  return text.replace(ANSI, '');
}

function width(text) {
  let columns = 0;
  for (const char of plain(text)) columns += charWidth(char);
  return columns;
}

// The longest beginning that fits.
function take(text, columns) {
  let used = 0;
  let end = 0;
  for (const char of text) {
    const next = used + charWidth(char);
    if (next > columns) break;
    used = next;
    end += char.length;
  }
  return text.slice(0, end);
}

function pad(text, columns, align = 'left') {
  const missing = Math.max(0, columns - width(text));
  if (align === 'left') return text + ' '.repeat(missing);
  if (align === 'right') return ' '.repeat(missing) + text;
  if (align !== 'center') throw new RangeError(`unknown alignment ${align}`);
  const left = Math.floor(missing / 2);
  return ' '.repeat(left) + text + ' '.repeat(missing - left);
}

function truncate(text, columns, mark = '…') {
  if (columns < width(mark)) throw new RangeError(`no room for ${mark}`);
  if (width(text) <= columns) return text;
  return take(plain(text), columns - width(mark)).trimEnd() + mark;
}

module.exports = { charWidth, pad, plain, take, truncate, width };
