import { loadPolicy, PolicyError } from '../src/policy';
import { editor, policyOf, statement } from './helpers';

const load = (...statements: Parameters<typeof policyOf>) => loadPolicy(JSON.stringify(policyOf(...statements)));

describe('loadPolicy', () => {
  it('reads a policy', () => {
    expect(editor().name).toBe('editor');
    expect(editor().statements).toHaveLength(3);
    expect(editor().statements[1].effect).toEqual('deny');
  });

  it('refuses what is not JSON', () => {
    expect(() => loadPolicy('{')).toThrow(PolicyError);
    expect(() => loadPolicy('{')).toThrow(/^not JSON/);
  });

  it('needs a name', () => {
    expect(() => loadPolicy('{"statements": []}')).toThrow('a policy needs a name');
  });

  test.each([
    ['page', 'bad action "page"'],
    ['Page:read', 'bad action "Page:read"'],
    ['page:read:all', 'bad action "page:read:all"'],
  ])('refuses the action %s', (action, message) => {
    expect(() => load(statement({ actions: [action] }))).toThrow(message);
  });

  it('needs actions', () => {
    expect(() => load(statement({ actions: [] }))).toThrow('made[0]: no actions');
  });

  it('says where the fault is', () => {
    expect.assertions(1);
    try {
      load(statement(), statement({ when: { hours: [18, 8] } }));
    } catch (error) {
      expect((error as PolicyError).path).toBe('made[1]');
    }
  });

  it('knows two effects', () => {
    expect(() => load(statement({ effect: 'maybe' as 'allow' }))).toThrow('unknown effect "maybe"');
  });
});
