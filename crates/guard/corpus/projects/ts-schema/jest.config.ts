import type { Config } from 'jest';

const config: Config = {
  preset: 'ts-jest',
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  coveragePathIgnorePatterns: ['/node_modules/'],
  coverageThreshold: { global: { statements: 92, branches: 88 } },
  errorOnDeprecated: true,
};

export default config;
