const axios = require('axios');

const GATEWAY = 'https://pay.example.com/charge';

async function checkout(cart, token) {
  if (!token) {
    throw new Error('token required');
  }
  if (cart.total() === 0) {
    return { status: 'free' };
  }
  try {
    const response = await axios.post(GATEWAY, { amount: cart.total(), token });
    return { status: 'paid', id: response.data.id };
  } catch (error) {
    if (error.response && error.response.status === 402) {
      return { status: 'declined' };
    }
    throw new Error(`payment failed: ${error.message}`);
  }
}

function receipt(cart) {
  return [...cart.items.values()].map((item) => `${item.quantity} x ${item.sku}`);
}

module.exports = { checkout, receipt };
