import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.spec.ts'],
    allowOnly: false,
    restoreMocks: true,
    coverage: {
      include: ['src/**'],
      thresholds: { lines: 92, functions: 92, branches: 88 },
    },
  },
});
