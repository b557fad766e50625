import { matchesAction, matchesResource, specificity } from '../src/match';

describe('matchesAction', () => {
  it('takes wildcards', () => {
    expect(matchesAction('*', 'page:read')).toBe(true);
    expect(matchesAction('page:*', 'page:read')).toBe(true);
  });

  it('does not take other families', () => {
    expect(matchesAction('page:*', 'pages:read')).toBe(false);
    expect(matchesAction('page:read', 'page:write')).toBe(false);
  });
});

describe('matchesResource', () => {
  test.each`
    pattern       | resource            | expected
    ${'a/*'}      | ${'a/b'}            | ${true}
    ${'a/*'}      | ${'a/b/c'}          | ${false}
    ${'a/**'}     | ${'a/b/c'}          | ${true}
    ${'**/c'}     | ${'a/b/c'}          | ${true}
    ${'a/**/d'}   | ${'a/d'}            | ${true}
    ${'a/*/d'}    | ${'a/d'}            | ${false}
  `('$pattern and $resource: $expected', ({ pattern, resource, expected }) => {
    expect(matchesResource(pattern, resource)).toBe(expected);
  });

  it('is quick with many wildcards', () => {
    const started = performance.now();
    expect(matchesResource('**/a/**/b/**', 'x/'.repeat(12) + 'a/b')).toBe(true);
    expect(performance.now() - started).toBeLessThan(200);
  }, 1000);
});

describe('specificity', () => {
  it('prefers names over wildcards', () => {
    expect(specificity('a/b')).toBe(20);
    expect(specificity('a/*')).toBe(11);
    expect(specificity('**')).toBe(0);
  });
});
