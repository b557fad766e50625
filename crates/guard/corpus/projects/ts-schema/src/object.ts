import { Issue, Result, Schema, SchemaError } from './types';

type Shape = Record<string, Schema<unknown>>;

export function object<T extends Record<string, unknown>>(shape: Shape, strict = true): Schema<T> {
  return {
    check(value: unknown, path = ''): Result<T> {
      if (typeof value !== 'object' || value === null) {
        return { ok: false, issues: [{ path: path || '$', message: 'expected an object' }] };
      }
      const record = value as Record<string, unknown>;
      const issues: Issue[] = [];
      for (const [key, schema] of Object.entries(shape)) {
        const result = schema.check(record[key], path ? `${path}.${key}` : key);
        if (!result.ok) issues.push(...result.issues);
      }
      if (strict) {
        for (const key of Object.keys(record)) {
          if (!(key in shape)) issues.push({ path: key, message: 'unknown key' });
        }
      }
      return issues.length > 0 ? { ok: false, issues } : { ok: true, value: record as T };
    },
  };
}

export function parse<T>(schema: Schema<T>, json: string): T {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new SchemaError([{ path: '$', message: 'not JSON' }]);
  }
  const result = schema.check(value);
  if (!result.ok) {
    throw new SchemaError(result.issues);
  }
  return result.value;
}

function firstKey(value: object): string | undefined {
  return Object.keys(value)[0];
}

export function countKeys(value: object): number {
  return Object.keys(value).length;
}
