export default [
  {
    files: ['**/*.js'],
    rules: { 'no-unused-vars': 'error', 'no-undef': 'off' },
  },
  { ignores: ['coverage/'] },
];
