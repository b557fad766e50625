"""Helpers for the tests."""
import random

from durations import compact, parse


def samples(seed, count, low=0, high=2_000_000):
    rng = random.Random(seed)
    return [rng.randint(low, high) for _ in range(count)]


def check_round_trip(case, seconds):
    case.assertEqual(parse(compact(seconds)), seconds, compact(seconds))
