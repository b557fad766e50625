// Patterns such as `/users/:id(\d+)/files/*path`.

export class PatternError extends Error {}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function compile(pattern) {
  if (!pattern.startsWith('/')) throw new PatternError(`pattern must begin with a slash: ${pattern}`);
  const names = new Set();
  const parts = split(pattern).map((text, index, all) => {
    if (text.startsWith('*')) {
      if (index !== all.length - 1) throw new PatternError(`a wildcard comes last: ${pattern}`);
      return named({ kind: 'rest', name: text.slice(1) || 'rest' }, names, pattern);
    }
    if (text.startsWith(':')) {
      const match = /^:([^(]+?)(\?)?(?:\((.+)\))?$/.exec(text);
      if (!match || !NAME.test(match[1])) throw new PatternError(`bad parameter ${text}`);
      if (match[2] && index !== all.length - 1) throw new PatternError(`optional parts come last: ${pattern}`);
      const part = { kind: 'param', name: match[1], optional: Boolean(match[2]) };
      if (match[3]) part.test = new RegExp(`^(?:${match[3]})$`);
      return named(part, names, pattern);
    }
    return { kind: 'literal', text: text.toLowerCase() };
  });
  return { pattern, parts, rank: parts.map(weight) };
}

function named(part, names, pattern) {
  if (names.has(part.name)) throw new PatternError(`${part.name} is there twice: ${pattern}`);
  names.add(part.name);
  return part;
}

// Smaller is more specific.
function weight(part) {
  if (part.kind === 'literal') return 0;
  if (part.kind === 'rest') return 3;
  return part.test ? 1 : 2;
}

export function split(path) {
  return path.split('/').filter((part) => part !== '');
}

// The parameters, or null.
export function match(compiled, path) {
  const pieces = split(path);
  const params = {};
  for (const [index, part] of compiled.parts.entries()) {
    if (part.kind === 'rest') {
      params[part.name] = pieces.slice(index).map(decode).join('/');
      return params;
    }
    const piece = pieces[index];
    if (piece === undefined) {
      if (part.optional) return params;
      return null;
    }
    if (part.kind === 'literal') {
      if (piece.toLowerCase() !== part.text) return null;
    } else {
      const value = decode(piece);
      if (part.test && !part.test.test(value)) return null;
      params[part.name] = value;
    }
  }
  return pieces.length > compiled.parts.length ? null : params;
}

export function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// The opposite of match.
export function fill(compiled, params) {
  const pieces = [];
  for (const part of compiled.parts) {
    if (part.kind === 'literal') {
      pieces.push(part.text);
      continue;
    }
    const value = params[part.name];
    if (value === undefined || value === '') {
      if (part.optional || part.kind === 'rest') continue;
      throw new PatternError(`missing parameter ${part.name}`);
    }
    if (part.test && !part.test.test(String(value))) throw new PatternError(`${part.name} does not fit: ${value}`);
    const encoded = part.kind === 'rest' ? String(value).split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
    pieces.push(encoded);
  }
  return `/${pieces.join('/')}`;
}
