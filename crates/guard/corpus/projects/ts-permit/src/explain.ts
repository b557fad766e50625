import type { Policy } from './policy';
import { specificity } from './match';

/** A policy as a list for people, the most specific resources first. */
export function explain(policy: Policy): string[] {
  return policy.statements.map((statement) => {
    const verb = statement.effect === 'allow' ? 'may' : 'must not';
    const resources = [...statement.resources].sort((left, right) => specificity(right) - specificity(left));
    const hours = statement.when?.hours ? ` from ${statement.when.hours[0]} to ${statement.when.hours[1]}` : '';
    return `${verb} ${statement.actions.join(', ')} on ${resources.join(', ')}${hours}`;
  });
}
