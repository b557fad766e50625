const { Cart } = require('./cart');
const { formatPrice, parsePrice } = require('./price');

module.exports = { Cart, formatPrice, parsePrice };
