'use strict';

const PRICES = { A: 4000, B: 3000, C: 2000 };
const GROUP_FROM = 5;
const GROUP_PERCENT = 10;

/** Price in cents of seats of these categories. */
function priceOf(categories) {
  let cents = 0;
  for (const category of categories) {
    if (!Object.hasOwn(PRICES, category)) throw new TypeError(`unknown category ${category}`);
    cents += PRICES[category];
  }
  if (categories.length >= GROUP_FROM) cents = Math.round((cents * (100 - GROUP_PERCENT)) / 100);
  return cents;
}

module.exports = { priceOf, PRICES };
