import unittest

from ratelimit import Backoff, ManualClock, call


class Flaky:
    def __init__(self, failures, error=OSError):
        self.failures = failures
        self.error = error
        self.calls = 0

    def __call__(self):
        self.calls += 1
        if self.calls <= self.failures:
            raise self.error("no")
        return "yes"


class BackoffTest(unittest.TestCase):
    def test_delays(self):
        self.assertEqual(list(Backoff(1, 3, 20, 5).delays()), [1, 3, 9, 20])
        self.assertEqual(list(Backoff(tries=1).delays()), [])

    def test_refused(self):
        for options in [{"first": 0}, {"factor": 0.5}, {"tries": 0}]:
            with self.subTest(options), self.assertRaises(ValueError):
                Backoff(**options)


class CallTest(unittest.TestCase):
    def test_success_after_failures(self):
        clock = ManualClock()
        flaky = Flaky(2)
        self.assertEqual(call(flaky, Backoff(), clock), "yes")
        self.assertEqual((flaky.calls, clock.slept), (3, [1, 2]))

    def test_gives_up(self):
        flaky = Flaky(9)
        with self.assertRaises(OSError):
            call(flaky, Backoff(tries=4), ManualClock())
        self.assertEqual(flaky.calls, 4)

    def test_other_errors_are_passed_on(self):
        flaky = Flaky(1, KeyError)
        with self.assertRaises(KeyError):
            call(flaky, Backoff(), ManualClock())
        self.assertEqual(flaky.calls, 1)
