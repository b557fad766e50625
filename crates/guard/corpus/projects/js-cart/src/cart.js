const { discount } = require('./price');

const MAX_ITEMS = 50;

class Cart {
  constructor() {
    this.items = new Map();
    this.percent = 0;
  }

  add(sku, cents, quantity = 1) {
    if (quantity < 1) {
      throw new RangeError('quantity must be positive');
    }
    if (this.items.size >= MAX_ITEMS) {
      throw new Error('cart is full');
    }
    const item = this.items.get(sku) || { sku, cents, quantity: 0 };
    item.quantity += quantity;
    this.items.set(sku, item);
    return this;
  }

  remove(sku) {
    if (!this.items.delete(sku)) {
      throw new Error(`not in cart: ${sku}`);
    }
  }

  applyCoupon(code) {
    const match = /^SAVE(\d{1,2})$/.exec(code);
    if (!match) {
      throw new Error('invalid coupon');
    }
    this.percent = Number(match[1]);
  }

  subtotal() {
    let sum = 0;
    for (const item of this.items.values()) {
      sum += item.cents * item.quantity;
    }
    return sum;
  }

  total() {
    return discount(this.subtotal(), this.percent);
  }
}

module.exports = { Cart, MAX_ITEMS };
