"""What is open, and reminders."""
from datetime import date, timedelta

from billing.invoice import Invoice, format_cents


def due_date(sent: date, days: int = 14) -> date:
    due = sent + timedelta(days=days)
    while due.weekday() >= 5:
        due += timedelta(days=1)
    return due


def reminder_level(days_late: int) -> int:
    if days_late <= 0:
        return 0
    return min(1 + days_late // 14, 3)


def reminder_text(invoice: Invoice, level: int) -> str:
    if level not in (1, 2, 3):
        raise ValueError(f"no such level {level}")
    word = {1: "Reminder", 2: "Second reminder", 3: "Last reminder"}[level]
    return f"{word}: invoice {invoice.number} over {format_cents(invoice.total())} is open"


class Outbox:
    def __init__(self, transport) -> None:
        self.transport = transport
        self.failed: list[str] = []

    def send(self, address: str, text: str) -> bool:
        if "@" not in address:
            raise ValueError(f"invalid address {address}")
        try:
            self.transport(address, text)
        except OSError:
            self.failed.append(address)
            return False
        return True
