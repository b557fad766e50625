"""Lines and their next time."""

from datetime import datetime, timedelta

from cronline.fields import NAMES, parse_field

SHORT = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
}


class Line:
    def __init__(self, text):
        parts = SHORT.get(text.strip(), text).split()
        if len(parts) != len(NAMES):
            raise ValueError(f"expected {len(NAMES)} fields, found {len(parts)}")
        self.text = text.strip()
        self.fields = {name: parse_field(name, part) for name, part in zip(NAMES, parts)}
        self._any_day = parts[2] == "*"
        self._any_weekday = parts[4] == "*"

    def day_fits(self, moment):
        """When both are given, one of day and weekday is enough."""
        day = moment.day in self.fields["day"]
        weekday = (moment.weekday() + 1) % 7 in self.fields["weekday"]
        if self._any_day or self._any_weekday:
            return day and weekday
        return day or weekday

    def next_after(self, moment):
        """The first time later than `moment`, None when there is none within four years."""
        time = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
        end = moment + timedelta(days=4 * 366)
        while time <= end:
            if time.month not in self.fields["month"]:
                time = datetime(time.year + time.month // 12, time.month % 12 + 1, 1)
            elif not self.day_fits(time):
                time = datetime(time.year, time.month, time.day) + timedelta(days=1)
            elif time.hour not in self.fields["hour"]:
                time = time.replace(minute=0) + timedelta(hours=1)
            elif time.minute not in self.fields["minute"]:
                time += timedelta(minutes=1)
            else:
                return time
        return None
