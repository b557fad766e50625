"""Requests in, responses out; no framework."""
import json
import logging
from dataclasses import dataclass, field

from shorturl.codec import decode, encode
from shorturl.validate import InvalidUrl, clean_url

log = logging.getLogger(__name__)


@dataclass
class Response:
    status: int
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class App:
    notify: object = None
    urls: list[str] = field(default_factory=list)

    def handle(self, method: str, path: str, body: str = "") -> Response:
        if method == "POST" and path == "/links":
            return self.create(body)
        if method == "GET" and path == "/health":
            return Response(200, "ok")
        if method == "GET":
            return self.follow(path.lstrip("/"))
        return Response(405, "method not allowed")

    def create(self, body: str) -> Response:
        try:
            url = clean_url(json.loads(body)["url"])
        except InvalidUrl as error:
            return Response(422, error.reason)
        except (ValueError, KeyError):
            return Response(400, "malformed body")
        self.urls.append(url)
        code = encode(len(self.urls) - 1)
        if self.notify is not None:
            self.notify(code, url)
        return Response(201, json.dumps({"code": code, "url": url}), {"Location": f"/{code}"})

    def follow(self, code: str) -> Response:
        try:
            number = decode(code)
        except ValueError:
            log.info("bad code %s", code)
            return Response(404, "no such link")
        if number >= len(self.urls):
            return Response(404, "no such link")
        return Response(302, headers={"Location": self.urls[number]})
