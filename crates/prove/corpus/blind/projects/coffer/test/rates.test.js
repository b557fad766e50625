import assert from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { Rates } from '../src/rates.js';
import { eur, usd } from './helpers.js';

describe('Rates', () => {
  let clock;
  let service;
  let slept;
  let rates;

  beforeEach(() => {
    clock = 0;
    slept = [];
    service = mock.fn(async (from, to) => ({ 'EUR/USD': 1.1, 'USD/EUR': 0.9, 'EUR/JPY': 161.5 })[`${from}/${to}`]);
    rates = new Rates((...ends) => service(...ends), {
      ttl: 1000,
      now: () => clock,
      sleep: async (ms) => {
        slept.push(ms);
      },
    });
  });

  it('asks once while a rate is fresh', async () => {
    assert.equal(await rates.rate('EUR', 'USD'), 1.1);
    clock = 999;
    assert.equal(await rates.rate('EUR', 'USD'), 1.1);
    assert.equal(service.mock.callCount(), 1);
    assert.equal(await rates.rate('USD', 'EUR'), 0.9);
    assert.equal(service.mock.callCount(), 2);
  });

  it('asks again when a rate is stale', async () => {
    await rates.rate('EUR', 'USD');
    clock = 1000;
    await rates.rate('EUR', 'USD');
    assert.equal(service.mock.callCount(), 2);
  });

  it('does not ask for the same currency', async () => {
    assert.equal(await rates.rate('EUR', 'EUR'), 1);
    assert.equal(service.mock.callCount(), 0);
  });

  it('tries again, waiting longer each time', async () => {
    let failures = 2;
    service.mock.mockImplementation(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('busy');
      return 1.2;
    });
    assert.equal(await rates.rate('EUR', 'USD'), 1.2);
    assert.deepEqual(slept, [100, 200]);
  });

  it('gives up', async () => {
    service.mock.mockImplementation(async () => {
      throw new Error('down');
    });
    await assert.rejects(rates.rate('EUR', 'USD'), /down/);
    assert.equal(service.mock.callCount(), 3);
    assert.deepEqual(slept, [100, 200]);
  });

  it('converts', async () => {
    assert.deepEqual(await rates.convert(eur(1000), 'USD'), usd(1100));
    assert.deepEqual(await rates.convert(eur(1000), 'JPY'), { units: 1615, currency: 'JPY' });
    assert.deepEqual(await rates.convert(usd(5), 'EUR'), eur(5));
    assert.deepEqual(await rates.convert(usd(-5), 'EUR'), eur(-5));
    await assert.rejects(rates.convert(eur(1), 'ZZZ'), { name: 'CurrencyError' });
  });
});
