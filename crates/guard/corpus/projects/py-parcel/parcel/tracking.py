"""Where a parcel is: asks the carrier and reads its answer."""

import json
import logging
import time

log = logging.getLogger(__name__)

ORDER = ("announced", "collected", "sorted", "in delivery", "delivered")


class CarrierDown(Exception):
    """The carrier did not answer."""


class Tracker:
    def __init__(self, fetch, attempts=3, pause=time.sleep):
        if attempts < 1:
            raise ValueError("at least one attempt")
        self.fetch = fetch
        self.attempts = attempts
        self.pause = pause
        self.known = {}

    def status(self, number):
        """The last state that the carrier told."""
        for attempt in range(self.attempts):
            try:
                answer = json.loads(self.fetch(number))
                break
            except OSError as error:
                log.warning("attempt %d for %s: %s", attempt + 1, number, error)
                self.pause(2**attempt)
        else:
            raise CarrierDown(number)
        state = answer.get("state")
        if state not in ORDER:
            raise ValueError(f"unknown state {state!r}")
        self.known[number] = state
        return state

    def delivered(self, number):
        return self.status(number) == ORDER[-1]


def progress(state):
    """How far a parcel is, from 0 to 1."""
    return ORDER.index(state) / (len(ORDER) - 1)


def latest(events):
    """The newest of events of the form (time, state); late messages do not turn a parcel back."""
    if not events:
        raise ValueError("no events")
    return max(events, key=lambda event: (ORDER.index(event[1]), event[0]))
