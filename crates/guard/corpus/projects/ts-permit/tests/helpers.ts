import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPolicy, type Policy, type Statement } from '../src/policy';

export const policyText = (name: string): string => readFileSync(join(__dirname, 'policies', `${name}.json`), 'utf8');

export const editor = (): Policy => loadPolicy(policyText('editor'));

export function statement(over: Partial<Statement> = {}): Statement {
  return { effect: 'allow', actions: ['page:read'], resources: ['**'], ...over };
}

export const policyOf = (...statements: Statement[]): Policy => ({ name: 'made', statements });
