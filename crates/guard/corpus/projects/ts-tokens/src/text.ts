export function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) {
    throw new SyntaxError(`not a text: ${text}`);
  }
  return text.slice(1, -1);
}

export function lineOf(source: string, at: number): number {
  if (at < 0) {
    throw new RangeError('position is negative');
  }
  return source.slice(0, at).split('\n').length;
}

export function columnOf(source: string, at: number): number {
  return at - source.lastIndexOf('\n', at - 1);
}

export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}
