export default [
  { files: ['**/*.ts'], rules: { 'no-console': 'error', eqeqeq: 'error', 'no-unused-vars': 'error' } },
];
