from .calendar import add_months, is_leap, working_days
from .schedule import Job, Schedule, ScheduleError

__all__ = ["add_months", "is_leap", "working_days", "Job", "Schedule", "ScheduleError"]
