"""Amounts in whole cents."""


class MoneyError(ValueError):
    pass


def parse_amount(text):
    """'12.50' -> 1250. At most two decimals; thousands may be grouped with commas."""
    cleaned = text.strip()
    negative = cleaned.startswith("-")
    if negative:
        cleaned = cleaned[1:]
    whole, dot, cents = cleaned.partition(".")
    if "," in whole:
        head, *groups = whole.split(",")
        if not 1 <= len(head) <= 3 or any(len(g) != 3 for g in groups):
            raise MoneyError(f"bad grouping: {text!r}")
        whole = head + "".join(groups)
    if not whole.isdigit() or (dot and not cents.isdigit()) or len(cents) > 2:
        raise MoneyError(f"not an amount: {text!r}")
    value = int(whole) * 100 + int(cents.ljust(2, "0") or 0)
    return -value if negative else value


def format_amount(cents):
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole:,}.{rest:02}"


def share(total, weights):
    """Split `total` by weights; what is left over goes to the largest remainders, first come first."""
    if not weights or any(w < 0 for w in weights) or sum(weights) == 0:
        raise MoneyError("nothing to share by")
    scale = sum(weights)
    parts = [total * w // scale for w in weights]
    order = sorted(range(len(weights)), key=lambda i: -(total * weights[i] % scale))
    for i in order[: total - sum(parts)]:
        parts[i] += 1
    return parts
