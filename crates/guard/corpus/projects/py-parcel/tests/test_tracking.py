import json
import time
import unittest
from unittest import mock

from parcel.tracking import CarrierDown, Tracker, latest, progress


def answer(state):
    return json.dumps({"state": state})


class TrackerTests(unittest.TestCase):
    def setUp(self):
        self.fetch = mock.Mock(return_value=answer("sorted"))
        self.pause = mock.Mock()
        self.tracker = Tracker(self.fetch, pause=self.pause)

    def test_status_is_told(self):
        self.assertEqual(self.tracker.status("A1"), "sorted")
        self.fetch.assert_called_once_with("A1")
        self.assertEqual(self.tracker.known, {"A1": "sorted"})

    def test_asks_again_when_the_line_is_down(self):
        self.fetch.side_effect = [OSError("reset"), OSError("reset"), answer("delivered")]
        self.assertTrue(self.tracker.delivered("A1"))
        self.assertEqual(self.fetch.call_count, 3)
        self.assertEqual(self.pause.call_args_list, [mock.call(1), mock.call(2)])

    def test_gives_up(self):
        self.fetch.side_effect = OSError("reset")
        with self.assertRaises(CarrierDown):
            self.tracker.status("A1")
        self.assertEqual(self.fetch.call_count, 3)

    def test_unknown_state_is_refused(self):
        self.fetch.return_value = answer("lost")
        with self.assertRaisesRegex(ValueError, "unknown state 'lost'"):
            self.tracker.status("A1")

    def test_needs_an_attempt(self):
        with self.assertRaisesRegex(ValueError, "at least one"):
            Tracker(self.fetch, attempts=0)


class StateTests(unittest.TestCase):
    def test_progress(self):
        self.assertEqual(progress("announced"), 0)
        self.assertEqual(progress("sorted"), 0.5)
        self.assertEqual(progress("delivered"), 1)

    def test_late_messages_do_not_turn_back(self):
        events = [(3, "sorted"), (2, "in delivery"), (9, "collected")]
        self.assertEqual(latest(events), (2, "in delivery"))

    def test_no_events(self):
        with self.assertRaisesRegex(ValueError, "no events"):
            latest([])

    def test_many_events_are_quick(self):
        events = [(number, "sorted") for number in range(20_000)]
        started = time.monotonic()
        self.assertEqual(latest(events)[0], 19_999)
        self.assertLess(time.monotonic() - started, 0.5)


if __name__ == "__main__":
    unittest.main()
