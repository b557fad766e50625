'use strict';

module.exports = {
  ...require('./width'),
  ...require('./wrap'),
  ...require('./table'),
  ...require('./outline'),
};
