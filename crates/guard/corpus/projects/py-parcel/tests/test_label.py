import unittest
from pathlib import Path

from parcel.label import WIDTH, address_lines, load_settings, render

SAMPLES = Path(__file__).parent / "samples"


class AddressTests(unittest.TestCase):
    def test_lines_are_trimmed(self):
        self.assertEqual(address_lines(" Ada ", "Weg 1", "1 Ort", "de"), ["Ada", "Weg 1", "1 Ort", "DE"])

    def test_long_lines_are_cut(self):
        lines = address_lines("x" * 50, "Weg 1", "1 Ort", "de")
        self.assertEqual(len(lines[0]), WIDTH)

    def test_name_is_needed(self):
        with self.assertRaisesRegex(ValueError, "needs a name"):
            address_lines("  ", "Weg 1", "1 Ort", "de")


class RenderTests(unittest.TestCase):
    lines = ["Ada Byron", "Hafenstr. 12", "20359 Hamburg", "DE"]

    def test_is_the_recorded_label(self):
        text = render(self.lines, "RR473124829DE", load_settings(Path("missing.ini")))
        self.assertEqual(text, (SAMPLES / "label.txt").read_text())

    def test_without_frame(self):
        settings = load_settings(Path("missing.ini"))
        settings["frame"] = "no"
        text = render(self.lines, "RR473124829DE", settings)
        self.assertTrue(text.startswith("Ada Byron\n"))
        self.assertNotIn("+", text)

    def test_settings_have_defaults(self):
        settings = load_settings(Path("missing.ini"))
        self.assertTrue(settings.getboolean("frame"))
        self.assertIs(settings.getboolean("barcode"), True)


if __name__ == "__main__":
    unittest.main()
