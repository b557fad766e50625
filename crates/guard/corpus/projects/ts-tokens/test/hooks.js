'use strict';

exports.mochaHooks = {
  beforeEach() {
    this.started = Date.now();
  },
};
