module.exports = {
  testEnvironment: 'node',
  testPathIgnorePatterns: ['/node_modules/'],
  collectCoverageFrom: ['src/**/*.js'],
  coverageThreshold: {
    global: {
      branches: 80,
      lines: 92,
    },
  },
  testTimeout: 4000,
  setupFilesAfterEnv: ['<rootDir>/test/setup.js'],
};
