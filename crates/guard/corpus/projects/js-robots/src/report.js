/** A report of who may do what, for people. */

export function describeGroup(group) {
  if (group.agents.length === 0) {
    throw new RangeError('a group names an agent');
  }
  const lines = [`${group.agents.join(', ')}:`];
  for (const rule of group.rules) {
    lines.push(`  ${rule.allow ? 'may' : 'may not'} ${rule.path}`);
  }
  if (group.delay > 0) {
    lines.push(`  waits ${group.delay} s`);
  }
  return lines.join('\n');
}

export function report(robots) {
  const parts = robots.groups.map(describeGroup);
  if (robots.sitemaps.length > 0) {
    parts.push(`sitemaps: ${robots.sitemaps.length}`);
  }
  return parts.join('\n\n') + '\n';
}
