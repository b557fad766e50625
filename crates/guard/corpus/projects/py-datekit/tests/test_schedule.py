import sys
import unittest
from unittest import mock

from datekit import Job, Schedule, ScheduleError
from datekit.duration import parse_duration


class ScheduleTest(unittest.TestCase):
    def setUp(self):
        self.action = mock.Mock()
        self.schedule = Schedule()
        self.schedule.add(Job("backup", "1h", self.action))

    def test_nothing_is_due_at_first(self):
        self.assertEqual(self.schedule.run_due(0), [])
        self.action.assert_not_called()

    def test_due_job_runs(self):
        self.assertEqual(self.schedule.run_due(3600), ["backup"])
        self.action.assert_called_once_with()

    def test_job_is_planned_again(self):
        self.schedule.run_due(3700)
        self.assertEqual(self.schedule.next_time(), 7300)

    def test_order_is_by_time(self):
        self.schedule.add(Job("ping", "10m", self.action))
        self.assertEqual(self.schedule.run_due(3600), ["ping", "backup"])
        self.assertIsNotNone(self.schedule.next_time())

    def test_empty_schedule(self):
        self.assertIsNone(Schedule().next_time())

    def test_failures_are_counted(self):
        job = Job("bad", "1s", mock.Mock(side_effect=OSError("disk")))
        schedule = Schedule()
        schedule.add(job)
        schedule.run_due(1)
        schedule.run_due(2)
        self.assertEqual(job.failures, 2)
        with self.assertRaisesRegex(ScheduleError, "bad failed 3 times"):
            schedule.run_due(3)

    def test_name_is_required(self):
        with self.assertRaises(ScheduleError):
            Job("", "1s", self.action)

    @unittest.skipIf(sys.platform == "win32", "needs POSIX signals")
    def test_interval(self):
        self.assertAlmostEqual(Job("x", "90s", None).every / 60, 1.5, places=5)

    def test_interval_in_seconds(self):
        self.assertEqual(parse_duration("45s"), 45)
