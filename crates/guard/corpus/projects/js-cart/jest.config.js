module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testPathIgnorePatterns: ['/node_modules/'],
  collectCoverageFrom: ['src/**/*.js'],
  coverageThreshold: {
    global: {
      branches: 85,
      functions: 90,
      lines: 90,
    },
  },
  testTimeout: 5000,
  setupFilesAfterEnv: ['<rootDir>/test/setup.js'],
};
