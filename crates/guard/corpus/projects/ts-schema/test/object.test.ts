import { countKeys, object, parse } from '../src/object';
import { isEmail, text } from '../src/primitives';
import { SchemaError } from '../src/types';
import { messages, person } from './builders';

describe('object', () => {
  test('accepts a person', () => {
    const result = person.check({ name: 'Ann', age: 30 });
    expect(result.ok).toBe(true);
  });

  test('collects every issue', () => {
    const result = person.check({ name: '', age: 200 });
    expect(messages(result)).toEqual(['shorter than 1', 'not within 0..150']);
    expect(messages(result)).toHaveLength(2);
  });

  test('reports unknown keys', () => {
    expect(messages(person.check({ name: 'A', age: 1, x: 1 }))).toEqual(['unknown key']);
  });

  test('may be lenient', () => {
    expect(object({ a: text() }, false).check({ a: 'x', b: 1 }).ok).toBe(true);
  });

  test.each([null, 5, 'x', undefined])('rejects %p', (value) => {
    expect(person.check(value)).toEqual({ ok: false, issues: [{ path: '$', message: 'expected an object' }] });
  });

  test('nested paths', () => {
    const nested = object({ who: person });
    expect(nested.check({ who: { name: 'A', age: -1 } })).toMatchSnapshot();
  });
});

describe('parse', () => {
  test('gives the value', () => {
    expect(parse(person, '{"name":"Ann","age":30}')).toEqual({ name: 'Ann', age: 30 });
  });

  test('rejects what is not JSON', () => {
    expect(() => parse(person, '{')).toThrow(SchemaError);
    expect(() => parse(person, '{')).toThrow('$: not JSON');
  });

  test('throws the issues', () => {
    expect(() => parse(person, '{"name":"","age":1}')).toThrow('name: shorter than 1');
  });

  test('counts keys', () => {
    expect(countKeys({ a: 1, b: 2 })).toBe(2);
  });

  test('addresses need a host', () => {
    expect(isEmail('ann@')).toBe(false);
  });
});
