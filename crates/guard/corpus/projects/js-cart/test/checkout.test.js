jest.mock('axios');
const axios = require('axios');
const { checkout, receipt } = require('../src/checkout');
const { cartOf } = require('./helpers');

describe('checkout', () => {
  const cart = cartOf(['book', 1500, 1]);

  it('charges the total', async () => {
    axios.post.mockResolvedValue({ data: { id: 'ch_1' } });
    const result = await checkout(cart, 'tok');
    expect(result).toEqual({ status: 'paid', id: 'ch_1' });
    expect(axios.post).toHaveBeenCalledWith('https://pay.example.com/charge', { amount: 1500, token: 'tok' });
  });

  it('reports a declined card', async () => {
    axios.post.mockRejectedValue({ response: { status: 402 }, message: 'no' });
    expect(await checkout(cart, 'tok')).toEqual({ status: 'declined' });
  });

  it('passes on other failures', async () => {
    axios.post.mockRejectedValue(new Error('timeout'));
    await expect(checkout(cart, 'tok')).rejects.toThrow('payment failed: timeout');
  });

  it('needs a token', async () => {
    await expect(checkout(cart, '')).rejects.toThrow('token required');
  });

  it('costs nothing when empty', async () => {
    const result = await checkout(cartOf(), 'tok');
    expect(result.status).toBe('free');
  }, 2000);

  it('prints a receipt', () => {
    expect(receipt(cart)).toEqual(['1 x book']);
  });
});
