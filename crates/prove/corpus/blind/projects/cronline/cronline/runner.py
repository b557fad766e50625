"""Runs jobs that are due."""

import heapq
import itertools


class Runner:
    """Keeps jobs by their next time. A job that raises is tried again, `retries` times in all."""

    def __init__(self, clock, retries=2, log=None):
        self.clock = clock
        self.retries = retries
        self.log = log if log is not None else []
        self._heap = []
        self._count = itertools.count()

    def add(self, name, line, job):
        due = line.next_after(self.clock())
        if due is None:
            raise ValueError(f"{name} never runs")
        heapq.heappush(self._heap, (due, next(self._count), name, line, job))

    def tick(self):
        """Runs all that is due now, once each, and plans them anew. Gives the names."""
        now = self.clock()
        ran = []
        while self._heap and self._heap[0][0] <= now:
            _, _, name, line, job = heapq.heappop(self._heap)
            self._run(name, job)
            ran.append(name)
            due = line.next_after(now)
            if due is not None:
                heapq.heappush(self._heap, (due, next(self._count), name, line, job))
        return ran

    def _run(self, name, job):
        for attempt in range(self.retries + 1):
            try:
                job()
            except Exception as error:
                self.log.append(f"{name} failed ({attempt + 1}): {error}")
            else:
                self.log.append(f"{name} ok")
                return
        self.log.append(f"{name} given up")

    def planned(self):
        return [(name, due) for due, _, name, _, _ in sorted(self._heap, key=lambda e: e[:2])]
