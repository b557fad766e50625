export default [
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'no-console': 'error',
      'no-unused-vars': 'error',
    },
  },
];
