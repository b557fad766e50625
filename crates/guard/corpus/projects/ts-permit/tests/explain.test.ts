import { explain } from '../src/explain';
import { editor, policyOf, statement } from './helpers';

test('the editor is explained', () => {
  expect(explain(editor())).toMatchSnapshot();
});

test('hours are named', () => {
  expect(explain(policyOf(statement({ when: { hours: [9, 17] } })))).toEqual(['may page:read on ** from 9 to 17']);
});

test('the most specific resource comes first', () => {
  const [line] = explain(policyOf(statement({ effect: 'deny', resources: ['**', 'a/*', 'a/b'] })));
  expect(line).toBe('must not page:read on a/b, a/*, **');
});
