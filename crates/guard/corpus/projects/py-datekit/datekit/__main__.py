import sys

from .duration import format_duration, parse_duration

if __name__ == "__main__":
    print(format_duration(parse_duration(sys.argv[1])))
