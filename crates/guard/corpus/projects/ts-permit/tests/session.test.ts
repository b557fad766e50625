import { Session, type AuditLog, type PolicyStore } from '../src/session';
import { policyText } from './helpers';

describe('Session', () => {
  let store: jest.Mocked<PolicyStore>;
  let audit: jest.Mocked<AuditLog>;
  let session: Session;

  beforeEach(async () => {
    store = { read: jest.fn(async (name) => policyText(name)) };
    audit = { write: jest.fn().mockResolvedValue(undefined) };
    session = new Session('ann', store, audit);
    await session.attach('editor');
  });

  it('reads its policies', () => {
    expect(store.read).toHaveBeenCalledWith('editor');
    expect(store.read).toHaveBeenCalledTimes(1);
  });

  it('writes down every decision', async () => {
    await session.may({ action: 'page:read', resource: 'site/a/pages/b' });
    await session.may({ action: 'page:read', resource: 'elsewhere' });
    expect(audit.write.mock.calls).toEqual([
      [{ user: 'ann', action: 'page:read', allowed: true }],
      [{ user: 'ann', action: 'page:read', allowed: false }],
    ]);
  });

  it('throws when something is required but refused', async () => {
    await expect(session.require({ action: 'page:read', resource: 'elsewhere' })).rejects.toThrow(
      'ann may not page:read: no statement applies',
    );
  });

  it('does not throw when it is allowed', async () => {
    await expect(session.require({ action: 'page:read', resource: 'site/a/pages/b' })).resolves.toBeUndefined();
  });

  it('passes on what the store says', async () => {
    store.read.mockRejectedValueOnce(new Error('gone'));
    await expect(session.attach('other')).rejects.toThrow('gone');
  });

  it('needs a user', () => {
    expect(() => new Session(' ', store, audit)).toThrow(TypeError);
  });
});
