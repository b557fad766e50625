'use strict';

module.exports = [
  {
    files: ['lib/**/*.js', 'test/**/*.js'],
    rules: {
      eqeqeq: 'error',
      'no-unused-vars': 'error',
      'no-empty': 'error',
    },
  },
];
