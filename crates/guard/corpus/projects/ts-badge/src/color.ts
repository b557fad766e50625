export type Rgb = [number, number, number];

export function parseColor(text: string): Rgb {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  if (!match) {
    throw new SyntaxError(`not a color: ${text}`);
  }
  return [1, 2, 3].map((index) => parseInt(match[index]!, 16)) as Rgb;
}

export function luminance([red, green, blue]: Rgb): number {
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}

export function textColor(background: string): string {
  return luminance(parseColor(background)) > 0.5 ? '#000000' : '#ffffff';
}

export function mix(left: string, right: string): string {
  const a = parseColor(left);
  const b = parseColor(right);
  return `#${a.map((value, index) => Math.round((value + b[index]!) / 2).toString(16).padStart(2, '0')).join('')}`;
}
