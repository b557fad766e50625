import unittest

from billing.tax import TaxError, effective_rate, gross, rate_of


class RateTest(unittest.TestCase):
    def test_known_country(self):
        self.assertEqual(rate_of("DE"), 19)
        self.assertEqual(rate_of("US"), 0)

    def test_unknown_country(self):
        with self.assertRaisesRegex(TaxError, "unknown country XX"):
            rate_of("XX")

    def test_effective_rate(self):
        self.assertAlmostEqual(effective_rate(1000, 1190), 0.19, places=5)
        self.assertEqual(effective_rate(0, 50), 0.0)


class GrossTest(unittest.TestCase):
    def test_gross(self):
        for country, expected in [("DE", 1190), ("FR", 1200), ("US", 1000)]:
            with self.subTest(country=country):
                self.assertEqual(gross(1000, country), expected)

    def test_rounding(self):
        self.assertEqual(gross(333, "DE"), 396)
        self.assertEqual(gross(1, "FR"), 1)

    def test_negative(self):
        with self.assertRaises(TaxError):
            gross(-1, "DE")


if __name__ == "__main__":
    unittest.main()
