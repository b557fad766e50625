/** The merged feed as plain text. */
export function toText({ entries, rejected }) {
  const lines = entries.map((entry) => {
    const day = entry.date ? new Date(entry.date).toISOString().slice(0, 10) : 'undated   ';
    const summary = entry.summary ? `\n           ${entry.summary}` : '';
    return `${day} ${entry.title} (${entry.sources.join(', ')})\n           ${entry.link}${summary}`;
  });
  if (rejected.length > 0) lines.push(`${rejected.length} rejected`);
  return `${lines.join('\n')}\n`;
}
