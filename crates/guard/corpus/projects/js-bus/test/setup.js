'use strict';

afterEach(() => {
  jest.restoreAllMocks();
});
