/** Policies: who may do what with which resources. */

export type Effect = 'allow' | 'deny';

export interface Statement {
  effect: Effect;
  actions: string[];
  resources: string[];
  when?: { hours?: [number, number]; tags?: string[] };
}

export interface Policy {
  name: string;
  statements: Statement[];
}

export class PolicyError extends Error {
  constructor(message: string, readonly path: string = '') {
    super(path ? `${path}: ${message}` : message);
    this.name = 'PolicyError';
  }
}

const ACTION = /^(\*|[a-z]+:(\*|[a-z]+))$/;

function checkStatement(statement: Statement, path: string): void {
  if (statement.effect !== 'allow' && statement.effect !== 'deny') {
    throw new PolicyError(`unknown effect "${String(statement.effect)}"`, path);
  }
  if (statement.actions.length === 0) {
    throw new PolicyError('no actions', path);
  }
  for (const action of statement.actions) {
    if (!ACTION.test(action)) {
      throw new PolicyError(`bad action "${action}"`, path);
    }
  }
  const hours = statement.when?.hours;
  if (hours && (hours[0] < 0 || hours[1] > 24 || hours[0] >= hours[1])) {
    throw new PolicyError('hours must lie within a day', path);
  }
}

export function loadPolicy(text: string): Policy {
  let policy: Policy;
  try {
    policy = JSON.parse(text) as Policy;
  } catch (error) {
    throw new PolicyError(`not JSON: ${(error as Error).message}`);
  }
  if (!policy.name) {
    throw new PolicyError('a policy needs a name');
  }
  policy.statements.forEach((statement, index) => checkStatement(statement, `${policy.name}[${index}]`));
  return policy;
}
