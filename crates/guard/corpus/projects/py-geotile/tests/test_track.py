import io
import json

import pytest

from geotile.track import TrackError, climb, drop_jumps, load_options, parse_fix, place_name, read_track, summarize

from .conftest import DATA


def test_fixes_come_in_order_of_time(walk):
    assert [fix.seconds for fix in walk] == [0, 60, 120, 180, 240]
    assert walk[0].point == (38.7139, -9.1394)


def test_summary_is_the_recorded_one(walk):
    assert summarize(walk) == (DATA / "walk.summary.txt").read_text()


def test_empty_track_has_no_summary():
    with pytest.raises(TrackError, match="empty track"):
        summarize([])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (["1", "2"], "expected 4 columns, found 2"),
        (["1", "x", "2", "3"], "not a number"),
        (["1", "95", "2", "3"], "latitude out of range: 95.0"),
    ],
)
def test_broken_rows_are_refused(row, message):
    with pytest.raises(TrackError, match=message):
        parse_fix(row)


def test_missing_file_is_a_track_error(tmp_path):
    with pytest.raises(TrackError, match="cannot read nowhere.csv"):
        read_track(tmp_path / "nowhere.csv")


def test_jumps_are_dropped(make_fix):
    fixes = [make_fix(0), make_fix(10, latitude=5.0), make_fix(20, latitude=0.0001)]
    assert drop_jumps(fixes, 55.0) == [fixes[0], fixes[2]]


def test_fix_at_the_same_second_is_dropped(make_fix):
    fixes = [make_fix(0), make_fix(0, latitude=0.1)]
    assert len(drop_jumps(fixes, 55.0)) == 1


def test_climb_ignores_losses(make_fix):
    fixes = [make_fix(0, height=10), make_fix(1, height=30), make_fix(2, height=5), make_fix(3, height=6)]
    assert climb(fixes) == 21


def test_options_of_a_file_win(tmp_path):
    path = tmp_path / "geotile.json"
    path.write_text(json.dumps({"max_speed": 10.0}))
    options = load_options(path)
    assert options["max_speed"] == 10.0
    assert options["drop_jumps"] is True


def test_place_name_is_read():
    def answer(url, timeout):
        assert "lat=1.5" in url
        return io.BytesIO(b'{"name": "Alfama"}')

    assert place_name((1.5, 2.0), answer) == "Alfama"


def test_place_name_survives_a_dead_service(caplog):
    def refuse(url, timeout):
        raise OSError("refused")

    assert place_name((1.5, 2.0), refuse) == "unknown"
    assert "refused" in caplog.text
