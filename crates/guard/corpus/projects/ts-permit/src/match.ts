export function matchesAction(pattern: string, action: string): boolean {
  if (pattern === '*' || pattern === action) {
    return true;
  }
  return pattern.endsWith(':*') && action.startsWith(pattern.slice(0, -1));
}

/** `*` stands for one segment, `**` for any number of them. */
export function matchesResource(pattern: string, resource: string): boolean {
  const walk = (want: string[], have: string[]): boolean => {
    if (want.length === 0) {
      return have.length === 0;
    }
    const [head, ...rest] = want;
    if (head === '**') {
      return have.some((_, index) => walk(rest, have.slice(index))) || walk(rest, []);
    }
    return have.length > 0 && (head === '*' || head === have[0]) && walk(rest, have.slice(1));
  };
  return walk(pattern.split('/'), resource.split('/'));
}

export function specificity(pattern: string): number {
  return pattern.split('/').reduce((sum, part) => sum + (part === '**' ? 0 : part === '*' ? 1 : 10), 0);
}
