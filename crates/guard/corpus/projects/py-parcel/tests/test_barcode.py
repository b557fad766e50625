import unittest

from parcel.barcode import BarcodeError, build, check_digit, parse, pretty


class CheckDigitTests(unittest.TestCase):
    def test_known_numbers(self):
        for digits, expected in [("47312482", 9), ("00000000", 5), ("12345678", 5), ("00000001", 4)]:
            with self.subTest(digits=digits):
                self.assertEqual(check_digit(digits), expected)

    def test_ten_becomes_zero(self):
        self.assertEqual(check_digit("00000008"), 0)

    def test_needs_eight_digits(self):
        with self.assertRaisesRegex(BarcodeError, "eight digits"):
            check_digit("123")
        with self.assertRaises(BarcodeError):
            check_digit("1234567x")


class ParseTests(unittest.TestCase):
    def test_parts(self):
        self.assertEqual(parse("RR473124829DE"), ("RR", "47312482", "DE"))

    def test_spaces_and_case_do_not_matter(self):
        self.assertEqual(parse("rr 4731 2482 9 de"), parse("RR473124829DE"))

    def test_wrong_check_digit(self):
        with self.assertRaisesRegex(BarcodeError, "wrong check digit"):
            parse("RR473124828DE")

    def test_nonsense(self):
        for text in ("", "R473124829DE", "RR47312482DE", "RR473124829D1"):
            with self.subTest(text=text), self.assertRaises(BarcodeError):
                parse(text)


class BuildTests(unittest.TestCase):
    def test_fills_with_zeros(self):
        self.assertEqual(build("CP", 1, "AT"), "CP000000014AT")

    def test_is_undone_by_parse(self):
        for serial in range(0, 5000, 37):
            self.assertEqual(parse(build("RR", serial, "DE"))[1], f"{serial:08d}")

    def test_pretty(self):
        self.assertEqual(pretty("RR473124829DE"), "RR 4731 2482 9 DE")


if __name__ == "__main__":
    unittest.main()
