"""Jobs that are due."""
import heapq
import logging

from .duration import parse_duration

log = logging.getLogger(__name__)
MAX_FAILURES = 3


class ScheduleError(Exception):
    pass


class Job:
    def __init__(self, name, every, action):
        if not name:
            raise ScheduleError("a job needs a name")
        self.name = name
        self.every = parse_duration(every)
        self.action = action
        self.failures = 0


class Schedule:
    def __init__(self):
        self._heap = []
        self._count = 0

    def add(self, job, now=0):
        heapq.heappush(self._heap, (now + job.every, self._count, job))
        self._count += 1

    def run_due(self, now):
        """Runs what is due and says which."""
        ran = []
        while self._heap and self._heap[0][0] <= now:
            _, _, job = heapq.heappop(self._heap)
            try:
                job.action()
            except Exception as error:
                log.error("%s failed: %s", job.name, error)
                job.failures += 1
                if job.failures >= MAX_FAILURES:
                    raise ScheduleError(f"{job.name} failed {job.failures} times") from error
            ran.append(job.name)
            self.add(job, now)
        return ran

    def next_time(self):
        return self._heap[0][0] if self._heap else None
