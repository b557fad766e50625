import { integer, isEmail, maskEmail, text } from '../src/primitives';
import { messages } from './builders';

describe('text', () => {
  test('accepts text', () => {
    expect(text().check('x')).toEqual({ ok: true, value: 'x' });
  });

  test('rejects other types', () => {
    const result = text().check(5, 'name');
    expect(result.ok).toBe(false);
    expect(messages(result)).toEqual(['expected text']);
  });

  test('checks the length', () => {
    expect(messages(text({ min: 3 }).check('ab'))).toEqual(['shorter than 3']);
  });

  test('checks the pattern', () => {
    expect(text({ pattern: /^a/ }).check('abc').ok).toBe(true);
    expect(text({ pattern: /^a/ }).check('xyz').ok).toBe(false);
  });

  test('has sane options', () => {
    expect(() => text({ min: -1 })).toThrow(RangeError);
  });
});

describe('integer', () => {
  test.each([
    [0, true],
    [10, true],
    [11, false],
    [-1, false],
    [1.5, false],
    ['3', false],
  ])('checks %p', (value, ok) => {
    expect(integer(0, 10).check(value).ok).toBe(ok);
  });

  test('names the range', () => {
    expect(messages(integer(1, 6).check(7))).toEqual(['not within 1..6']);
  });

  test('has a sane range', () => {
    expect(() => integer(5, 1)).toThrow('min is above max');
  });
});

describe('isEmail', () => {
  test('accepts an address', () => {
    expect(isEmail('ann@example.org')).toBe(true);
  });

  test('needs a host', () => {
    expect(isEmail('ann@')).toBe(false);
  });

  test('has no spaces', () => {
    expect(isEmail('an n@example.org')).toBe(false);
  });
});

describe('maskEmail', () => {
  test('hides the name', () => {
    expect(maskEmail('ann@example.org')).toBe('a***@example.org');
  });

  test('rejects other text', () => {
    expect(() => maskEmail('nobody')).toThrow(TypeError);
  });
});
