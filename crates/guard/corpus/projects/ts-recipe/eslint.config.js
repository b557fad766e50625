export default [
  {
    files: ['**/*.ts'],
    ignores: ['dist/**'],
    rules: {
      eqeqeq: 'error',
      'no-empty': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
    },
  },
];
