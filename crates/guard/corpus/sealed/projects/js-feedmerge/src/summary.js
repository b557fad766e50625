export const LONGEST = 140;

/**
 * The text without markup, cut at a word.
 * @param {string} html
 */
export function summarise(html, longest = LONGEST) {
  const text = html
    .replace(/<(script|style)\b[^]*?<\/\1>/gi, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot);/g, (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name])
    .replace(/\s+/g, ' ')
    .trim();
  if (text.length <= longest) return text;
  const end = text.lastIndexOf(' ', longest - 1);
  return `${text.slice(0, end > 0 ? end : longest - 1)}…`;
}
