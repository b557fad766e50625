import { readFile } from 'node:fs/promises';

export class DictionaryError extends Error {}

export async function loadDictionary(path, read = readFile) {
  let text;
  try {
    text = await read(path, 'utf8');
  } catch (error) {
    throw new DictionaryError(`cannot read ${path}`, { cause: error });
  }
  const words = text.split('\n').map((line) => line.trim()).filter(Boolean);
  if (words.length === 0) {
    throw new DictionaryError('empty dictionary');
  }
  return new Set(words);
}

export function unknownWords(text, dictionary) {
  const words = text.toLowerCase().match(/[a-z]+/g) || [];
  return [...new Set(words.filter((word) => !dictionary.has(word)))].sort();
}
