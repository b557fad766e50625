"""What may be shortened."""
from urllib.parse import urlsplit

MAX_URL = 2048
BLOCKED = {"localhost", "127.0.0.1"}


class InvalidUrl(Exception):
    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def clean_url(url: str) -> str:
    url = url.strip()
    if len(url) > MAX_URL:
        raise InvalidUrl("too long")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise InvalidUrl("unsupported scheme")
    if not parts.hostname or parts.hostname in BLOCKED:
        raise InvalidUrl("host not allowed")
    return parts._replace(fragment="").geturl()


def slug_ok(slug: str) -> bool:
    return 3 <= len(slug) <= 32 and slug.replace("-", "").isalnum()
