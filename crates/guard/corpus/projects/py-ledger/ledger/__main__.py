import sys

from ledger.money import format_cents, parse_cents


def main(argv: list[str]) -> int:
    if len(argv) < 2:
        print("usage: ledger AMOUNT...", file=sys.stderr)
        return 2
    print(format_cents(sum(parse_cents(word) for word in argv[1:])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
