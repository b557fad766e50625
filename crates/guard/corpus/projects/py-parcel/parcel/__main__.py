import sys

from .barcode import BarcodeError, pretty


def main():
    if len(sys.argv) < 2:
        print("usage: parcel NUMBER...", file=sys.stderr)
        sys.exit(2)
    failed = False
    for number in sys.argv[1:]:
        try:
            print(pretty(number))
        except BarcodeError as error:
            print(error, file=sys.stderr)
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
