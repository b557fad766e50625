from hypothesis import given, settings
from hypothesis import strategies as st

from inifile.parser import parse_ini
from inifile.values import as_bytes, clamp_percent
from inifile.writer import dump

words = st.text(alphabet="abcxyz0189", min_size=1, max_size=12)


@settings(max_examples=300)
@given(st.dictionaries(words.map(lambda word: "k" + word), words, max_size=6))
def test_dump_and_parse_agree(values):
    assert parse_ini(dump({"": values}))[""] == values


@settings(max_examples=200)
@given(st.integers(min_value=0, max_value=10_000))
def test_sizes_keep_order(number):
    assert as_bytes(f"{number}k") == 1024 * as_bytes(str(number))


@settings(max_examples=150)
@given(st.integers(min_value=0))
def test_percent_is_bounded(number):
    assert clamp_percent(number) <= 100
