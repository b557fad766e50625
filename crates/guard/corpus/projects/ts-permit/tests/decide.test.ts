import { decide } from '../src/decide';
import { editor, policyOf, statement } from './helpers';

describe('decide', () => {
  it('allows what a statement allows', () => {
    const decision = decide([editor()], { action: 'page:edit', resource: 'site/blog/pages/about' });
    expect(decision).toEqual({ allowed: true, reason: 'allowed by editor' });
  });

  it('lets a denial win', () => {
    const decision = decide([policyOf(statement({ actions: ['*'] })), editor()], {
      action: 'page:delete',
      resource: 'site/main/pages/home',
    });
    expect(decision.allowed).toBe(false);
    expect(decision.reason).toBe('denied by editor');
  });

  it('says no when nothing applies', () => {
    expect(decide([], { action: 'page:read', resource: 'x' })).toEqual({ allowed: false, reason: 'no statement applies' });
  });

  it.each([
    [7, false],
    [8, true],
    [17, true],
    [18, false],
    [undefined, false],
  ])('at %p o\'clock reports are open: %p', (hour, open) => {
    expect(decide([editor()], { action: 'report:read', resource: 'reports/may', hour }).allowed).toBe(open);
  });

  it('wants every tag', () => {
    const policy = policyOf(statement({ when: { tags: ['a', 'b'] } }));
    expect(decide([policy], { action: 'page:read', resource: 'x', tags: ['b', 'a', 'c'] }).allowed).toBe(true);
    expect(decide([policy], { action: 'page:read', resource: 'x', tags: ['a'] }).allowed).toBe(false);
    expect(decide([policy], { action: 'page:read', resource: 'x' }).allowed).toBe(false);
  });
});
