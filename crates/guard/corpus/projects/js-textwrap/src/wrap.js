export const DEFAULT_WIDTH = 72;

export function wrap(text, width = DEFAULT_WIDTH) {
  if (width < 1) {
    throw new RangeError('width must be positive');
  }
  const lines = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line ? `${line} ${word}` : word;
    }
  }
  if (line) lines.push(line);
  return lines;
}

export function indent(text, prefix = '  ') {
  return text
    .split('\n')
    .map((line) => (line ? prefix + line : line))
    .join('\n');
}

export function truncate(text, width, ellipsis = '…') {
  if (width <= ellipsis.length) {
    throw new RangeError('width too small');
  }
  return text.length <= width ? text : text.slice(0, width - ellipsis.length) + ellipsis;
}
