afterEach(() => {
  jest.restoreAllMocks();
});
