import time
import unittest
from datetime import date

from billing.dunning import Outbox, due_date, reminder_level, reminder_text
from billing.invoice import Invoice


class DueDateTest(unittest.TestCase):
    def test_weekday(self):
        self.assertEqual(due_date(date(2024, 5, 1)), date(2024, 5, 15))

    def test_weekend(self):
        self.assertEqual(due_date(date(2024, 5, 4)), date(2024, 5, 20))

    def test_other_term(self):
        self.assertEqual(due_date(date(2024, 5, 1), 30), date(2024, 5, 31))


class ReminderTest(unittest.TestCase):
    def test_level(self):
        self.assertEqual(reminder_level(0), 0)
        self.assertEqual(reminder_level(1), 1)
        self.assertEqual(reminder_level(14), 2)
        self.assertEqual(reminder_level(90), 3)

    def test_text(self):
        invoice = Invoice("2024-0002", "US")
        invoice.add("work", 2, 5000)
        self.assertEqual(reminder_text(invoice, 2), "Second reminder: invoice 2024-0002 over 100.00 is open")

    def test_no_such_level(self):
        with self.assertRaisesRegex(ValueError, "no such level 4"):
            reminder_text(Invoice("1"), 4)

    def test_levels_are_fast(self):
        started = time.perf_counter()
        for days in range(10_000):
            reminder_level(days)
        elapsed = time.perf_counter() - started
        self.assertLess(elapsed, 1.0)


class OutboxTest(unittest.TestCase):
    def test_sent(self):
        sent = []
        outbox = Outbox(lambda address, text: sent.append((address, text)))
        self.assertTrue(outbox.send("a@example.org", "hello"))
        self.assertEqual(sent, [("a@example.org", "hello")])
        self.assertEqual(outbox.failed, [])

    def test_failed(self):
        def broken(address, text):
            raise OSError("no route")

        outbox = Outbox(broken)
        self.assertEqual(outbox.send("b@example.org", "hello"), False)
        self.assertEqual(outbox.failed, ["b@example.org"])

    def test_invalid_address(self):
        with self.assertRaisesRegex(ValueError, "invalid address nobody"):
            Outbox(print).send("nobody", "hello")

    @unittest.skip("needs a mail server")
    def test_real_transport(self):
        self.assertTrue(Outbox(print).send("c@example.org", "hello"))
