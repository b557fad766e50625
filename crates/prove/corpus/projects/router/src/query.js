// Query strings.

export const MAX_FIELDS = 100;

export class QueryError extends Error {}

function unescape(text) {
  return decodeURIComponent(text.replace(/\+/g, ' '));
}

// `a=1&b=2&b=3&c` becomes { a: '1', b: ['2', '3'], c: '' }.
export function parseQuery(text) {
  const result = Object.create(null);
  const source = text.startsWith('?') ? text.slice(1) : text;
  if (!source) return { ...result };
  const fields = source.split('&').filter(Boolean);
  if (fields.length > MAX_FIELDS) throw new QueryError(`more than ${MAX_FIELDS} fields`);
  for (const field of fields) {
    const equals = field.indexOf('=');
    let name;
    let value;
    try {
      name = unescape(equals < 0 ? field : field.slice(0, equals));
      value = equals < 0 ? '' : unescape(field.slice(equals + 1));
    } catch {
      throw new QueryError(`bad escape in ${field}`);
    }
    if (name === '__proto__') continue;
    if (name in result) result[name] = [].concat(result[name], value);
    else result[name] = value;
  }
  return { ...result };
}

export function formatQuery(fields) {
  const pairs = [];
  for (const name of Object.keys(fields).sort()) {
    for (const value of [].concat(fields[name])) {
      if (value === undefined || value === null) continue;
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    }
  }
  return pairs.length ? `?${pairs.join('&')}` : '';
}
