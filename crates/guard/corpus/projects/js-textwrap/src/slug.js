const FOLD = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', é: 'e' };

export function slugify(text) {
  if (typeof text !== 'string') {
    throw new TypeError('expected a string');
  }
  return text
    .toLowerCase()
    .replace(/[äöüßé]/g, (letter) => FOLD[letter])
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function squeeze(text) {
  return text.replace(/ +/g, ' ');
}

export function titleCase(text) {
  return text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

export function countWords(text) {
  return text.split(/\s+/).filter(Boolean).length;
}
