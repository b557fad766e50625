/** Says whether a path may be visited. */

/** `*` stands for anything, `$` at the end for the end. */
export function toPattern(path) {
  if (!path.startsWith('/') && !path.startsWith('*')) {
    throw new TypeError(`a rule begins with a slash: ${path}`);
  }
  const anchored = path.endsWith('$');
  const body = anchored ? path.slice(0, -1) : path;
  const source = body.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
  return new RegExp(`^${source}${anchored ? '$' : ''}`);
}

export function groupFor(robots, agent) {
  const name = agent.toLowerCase();
  const named = robots.groups.find((group) => group.agents.some((item) => item !== '*' && name.startsWith(item)));
  return named ?? robots.groups.find((group) => group.agents.includes('*')) ?? null;
}

/** The longest rule wins; of equally long ones, the one that allows. */
export function isAllowed(robots, agent, path) {
  const group = groupFor(robots, agent);
  if (!group) {
    return true;
  }
  const fitting = group.rules.filter((rule) => toPattern(rule.path).test(path));
  fitting.sort((left, right) => right.path.length - left.path.length || Number(right.allow) - Number(left.allow));
  return fitting.length === 0 || fitting[0].allow;
}

export function delayFor(robots, agent) {
  return groupFor(robots, agent)?.delay ?? 0;
}
