import { matchesAction, matchesResource } from './match';
import type { Policy, Statement } from './policy';

export interface Request {
  action: string;
  resource: string;
  hour?: number;
  tags?: string[];
}

export interface Decision {
  allowed: boolean;
  reason: string;
}

function applies(statement: Statement, request: Request): boolean {
  if (!statement.actions.some((pattern) => matchesAction(pattern, request.action))) {
    return false;
  }
  if (!statement.resources.some((pattern) => matchesResource(pattern, request.resource))) {
    return false;
  }
  const { hours, tags } = statement.when ?? {};
  if (hours && (request.hour === undefined || request.hour < hours[0] || request.hour >= hours[1])) {
    return false;
  }
  return !tags || tags.every((tag) => request.tags?.includes(tag));
}

/** A denial wins over any permission; without either, the answer is no. */
export function decide(policies: Policy[], request: Request): Decision {
  let allowedBy: string | undefined;
  for (const policy of policies) {
    for (const statement of policy.statements) {
      if (!applies(statement, request)) {
        continue;
      }
      if (statement.effect === 'deny') {
        return { allowed: false, reason: `denied by ${policy.name}` };
      }
      allowedBy ??= policy.name;
    }
  }
  return allowedBy ? { allowed: true, reason: `allowed by ${allowedBy}` } : { allowed: false, reason: 'no statement applies' };
}
