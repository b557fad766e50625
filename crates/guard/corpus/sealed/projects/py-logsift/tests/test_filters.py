import unittest

from logsift import FilterError, compile_filter

from .support import record


class FilterTest(unittest.TestCase):
    def check(self, query, expected, **parts):
        self.assertIs(compile_filter(query)(record(**parts)), expected, msg=query)

    def test_empty_filter_passes_everything(self):
        self.check("", True)

    def test_levels_are_ordered(self):
        self.check("level>=WARNING", True, level="ERROR")
        self.check("level>=WARNING", True, level="WARNING")
        self.check("level>=WARNING", False, level="INFO")
        self.check("level<ERROR", True, level="DEBUG")

    def test_source(self):
        self.check("source=db", True, source="db")
        self.check("source=db", False, source="web")
        self.check("source!=db", True, source="web")

    def test_numbers(self):
        self.check("attempt>2", True, attempt="3")
        self.check("attempt>2", False, attempt="2")
        self.check("attempt<=2.5", True, attempt="2")
        self.check("attempt>2", False, attempt="many")
        self.check("attempt>2", False)

    def test_pattern(self):
        self.check("text~^conn", True, text="connection lost")
        self.check("text~lost$", False, text="lost it")

    def test_all_terms_have_to_hold(self):
        self.check("level=ERROR source=db", True, level="ERROR", source="db")
        self.check("level=ERROR source=db", False, level="ERROR", source="web")

    def test_bad_filters(self):
        cases = {
            "level": "cannot read 'level'",
            "level=LOUD": "unknown level LOUD",
            "attempt>x": "'attempt>x' compares with something that is no number",
            "text~(": "bad pattern in 'text~('",
        }
        for text, message in cases.items():
            with self.subTest(text=text), self.assertRaises(FilterError) as caught:
                compile_filter(text)
            self.assertIn(message, str(caught.exception))
