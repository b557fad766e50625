const { Cart } = require('../src/cart');

function cartOf(...lines) {
  const cart = new Cart();
  for (const [sku, cents, quantity] of lines) {
    cart.add(sku, cents, quantity);
  }
  return cart;
}

module.exports = { cartOf };
