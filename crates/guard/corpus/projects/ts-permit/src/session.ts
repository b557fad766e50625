import { decide, type Decision, type Request } from './decide';
import { loadPolicy, type Policy } from './policy';
import { flags } from './flags';

export interface PolicyStore {
  read(name: string): Promise<string>;
}

export interface AuditLog {
  write(entry: { user: string; action: string; allowed: boolean }): Promise<void>;
}

/** What one user may do, with an audit trail. */
export class Session {
  private policies: Policy[] = [];

  constructor(
    private readonly user: string,
    private readonly store: PolicyStore,
    private readonly audit: AuditLog,
  ) {
    if (user.trim() === '') {
      throw new TypeError('a session needs a user');
    }
  }

  async attach(...names: string[]): Promise<void> {
    const texts = await Promise.all(names.map((name) => this.store.read(name)));
    this.policies.push(...texts.map(loadPolicy));
  }

  async may(request: Request): Promise<Decision> {
    const decision = decide(this.policies, request);
    if (flags.audit) {
      await this.audit.write({ user: this.user, action: request.action, allowed: decision.allowed });
    }
    return decision;
  }

  async require(request: Request): Promise<void> {
    const decision = await this.may(request);
    if (!decision.allowed) {
      throw new Error(`${this.user} may not ${request.action}: ${decision.reason}`);
    }
  }
}
