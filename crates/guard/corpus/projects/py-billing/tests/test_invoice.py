import random
import unittest

from billing.invoice import LIMIT, Invoice, InvoiceError, discount, format_cents, invoice_number


def filled(count):
    invoice = Invoice("2024-0001")
    for index in range(count):
        invoice.add(f"line {index}", 1, 100)
    return invoice


def stale_helper(value):
    return value * 2


class InvoiceTest(unittest.TestCase):
    def setUp(self):
        self.invoice = Invoice("2024-0007", "FR")

    def test_total(self):
        self.invoice.add("paper", 3, 250)
        self.invoice.add("pen", 1, 120)
        self.assertEqual(self.invoice.net(), 870)
        self.assertEqual(self.invoice.total(), 1044)

    def test_lines(self):
        self.invoice.add("paper", 3, 250)
        self.assertEqual(self.invoice.lines, [("paper", 3, 250)])

    def test_empty(self):
        self.assertEqual(self.invoice.total(), 0)

    def test_quantity(self):
        with self.assertRaisesRegex(InvoiceError, "quantity must be positive"):
            self.invoice.add("paper", 0, 250)

    def test_limit(self):
        invoice = filled(LIMIT)
        with self.assertRaisesRegex(InvoiceError, "too many lines"):
            invoice.add("one more", 1, 1)
        self.assertEqual(len(invoice.lines), 20)

    def test_number_is_needed(self):
        with self.assertRaises(InvoiceError):
            Invoice("")


class FormatTest(unittest.TestCase):
    def test_format(self):
        self.assertEqual(format_cents(0), "0.00")
        self.assertEqual(format_cents(199), "1.99")
        self.assertEqual(format_cents(-5), "-0.05")

    def test_number(self):
        self.assertEqual(invoice_number(2024, 7), "2024-0007")
        self.assertEqual(invoice_number(2025, 12345), "2025-12345")

    def test_number_starts_at_one(self):
        with self.assertRaises(InvoiceError):
            invoice_number(2024, 0)

    def test_discount(self):
        self.assertEqual(discount(1000, 25), 750)
        self.assertEqual(discount(999, 10), 900)

    def test_discount_of_all(self):
        self.assertEqual(discount(80, 100), 0)

    def test_invalid_discount(self):
        for percent in [-1, 101, 200]:
            with self.subTest(percent=percent):
                with self.assertRaisesRegex(InvoiceError, "invalid percent"):
                    discount(100, percent)

    def test_discount_never_grows(self):
        rng = random.Random()
        for _ in range(300):
            cents = rng.randint(0, 10_000)
            self.assertTrue(discount(cents, rng.randint(0, 100)) <= cents)

    def test_whole_discount(self):
        self.assertEqual(discount(80, 100), 0)
