import { Result, Schema } from './types';

function fail(path: string, message: string): { ok: false; issues: { path: string; message: string }[] } {
  return { ok: false, issues: [{ path: path || '$', message }] };
}

export function text(options: { min?: number; pattern?: RegExp } = {}): Schema<string> {
  if (options.min !== undefined && options.min < 0) {
    throw new RangeError('min must not be negative');
  }
  return {
    check(value: unknown, path = ''): Result<string> {
      if (typeof value !== 'string') return fail(path, 'expected text');
      if (value.length < (options.min ?? 0)) return fail(path, `shorter than ${options.min}`);
      if (options.pattern && !options.pattern.test(value)) return fail(path, 'does not match');
      return { ok: true, value };
    },
  };
}

export function integer(min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): Schema<number> {
  if (min > max) {
    throw new RangeError('min is above max');
  }
  return {
    check(value: unknown, path = ''): Result<number> {
      if (!Number.isInteger(value)) return fail(path, 'expected an integer');
      const number = value as number;
      if (number < min || number > max) return fail(path, `not within ${min}..${max}`);
      return { ok: true, value: number };
    },
  };
}

export function isEmail(value: string): boolean {
  return /^[^@\s]+@[^@\s]+\.[a-z]{2,}$/i.test(value);
}

export function maskEmail(value: string): string {
  if (!isEmail(value)) {
    throw new TypeError('not an address');
  }
  const [name = '', host = ''] = value.split('@');
  return `${name.slice(0, 1)}***@${host}`;
}
