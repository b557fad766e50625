export type Kind = 'number' | 'name' | 'text' | 'sign';

export interface Token {
  kind: Kind;
  text: string;
  at: number;
}

export class ScanError extends Error {
  constructor(message: string, readonly at: number) {
    super(`${message} at ${at}`);
  }
}

const RULES: [Kind, RegExp][] = [
  ['number', /^\d+(\.\d+)?/],
  ['name', /^[A-Za-z_]\w*/],
  ['text', /^"[^"]*"/],
  ['sign', /^[-+*/()=,]/],
];

export function scan(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at);
    const space = /^\s+/.exec(rest);
    if (space) {
      at += space[0].length;
      continue;
    }
    const token = firstMatch(rest, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function firstMatch(rest: string, at: number): Token {
  for (const [kind, rule] of RULES) {
    const found = rule.exec(rest);
    if (found) return { kind, text: found[0], at };
  }
  if (rest.startsWith('"')) {
    throw new ScanError('text is not closed', at);
  }
  throw new ScanError(`unexpected ${rest[0]}`, at);
}

export function kinds(source: string): string {
  return scan(source).map((token) => token.kind).join(' ');
}

function lastToken(source: string): Token | undefined {
  return scan(source).pop();
}
