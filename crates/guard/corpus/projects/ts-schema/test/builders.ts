import { object } from '../src/object';
import { integer, text } from '../src/primitives';

export const person = object<{ name: string; age: number }>({
  name: text({ min: 1 }),
  age: integer(0, 150),
});

export function messages(result: { ok: boolean; issues?: { message: string }[] }): string[] {
  return (result.issues ?? []).map((issue) => issue.message);
}
