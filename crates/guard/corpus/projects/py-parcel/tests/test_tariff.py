import json
import unittest
from decimal import Decimal
from pathlib import Path

from parcel.tariff import Parcel, TariffError, price, surcharge, zone

SAMPLES = Path(__file__).parent / "samples"


def box(kilos, country="DE", sides=(20, 15, 5)):
    return Parcel(Decimal(kilos), *sides, country)


class ZoneTests(unittest.TestCase):
    def test_neighbours(self):
        self.assertEqual(zone("AT"), 2)
        self.assertEqual(zone("JP"), 4)

    def test_unknown_country(self):
        with self.assertRaisesRegex(TariffError, "no service to XX"):
            zone("XX")


class PriceTests(unittest.TestCase):
    def test_recorded_orders(self):
        orders = json.loads((SAMPLES / "orders.json").read_text())
        self.assertEqual(len(orders), 4)
        for order in orders:
            with self.subTest(order=order):
                parcel = box(order["kilos"], order["country"], order["sides"])
                self.assertEqual(price(parcel), Decimal(order["price"]))

    def test_bulky_parcels_count_with_their_volume(self):
        self.assertEqual(box("1", sides=(50, 40, 30)).volume_weight(), 12)
        self.assertEqual(price(box("1", sides=(50, 40, 30))), Decimal("12.19"))

    def test_insurance_costs_extra(self):
        plain, insured = price(box("2")), price(box("2"), insured=Decimal(500))
        self.assertEqual(insured - plain, Decimal("6.00"))

    def test_half_a_cent_is_rounded_up(self):
        self.assertEqual(price(box("0.025")), Decimal("5.17"))

    def test_weight_must_be_positive(self):
        with self.assertRaisesRegex(TariffError, "must be positive"):
            price(box("0"))

    def test_too_heavy(self):
        with self.assertRaises(TariffError) as caught:
            price(box("31.6"))
        self.assertEqual(str(caught.exception), "too heavy: 31.6 kg")

    def test_too_large(self):
        self.assertEqual(box("1", sides=(100, 60, 50)).girth(), 320)
        with self.assertRaisesRegex(TariffError, "too large"):
            price(box("1", sides=(100, 60, 50)))


class SurchargeTests(unittest.TestCase):
    def test_percent(self):
        self.assertEqual(surcharge(Decimal("10.00"), 12), Decimal("11.20"))

    def test_is_close_to_the_float(self):
        self.assertAlmostEqual(float(surcharge(Decimal("33.33"), 7)), 33.33 * 1.07, places=2)

    def test_out_of_range(self):
        for percent in (-1, 41):
            with self.subTest(percent=percent), self.assertRaisesRegex(TariffError, "out of range"):
                surcharge(Decimal(1), percent)


if __name__ == "__main__":
    unittest.main()
