import json
from unittest.mock import Mock

import pytest

from shorturl.app import App
from shorturl.codec import encode


def post(app, url):
    return app.handle("POST", "/links", json.dumps({"url": url}))


def test_create(app):
    response = post(app, "https://example.org")
    assert response.status == 201
    assert json.loads(response.body) == {"code": "2", "url": "https://example.org"}
    assert response.headers["Location"] == "/2"


def test_follow(full_app):
    response = full_app.handle("GET", "/4")
    assert response.status == 302
    assert response.headers["Location"] == "https://example.org/c"


def test_unknown_code(app):
    assert app.handle("GET", "/zz").status == 404


def test_bad_code(app):
    response = app.handle("GET", "/A!")
    assert response.status == 404
    assert response.body == "no such link"


def test_malformed_body(app):
    assert app.handle("POST", "/links", "{").status == 400
    assert app.handle("POST", "/links", "{}").status == 400


def test_refused_url(app):
    response = post(app, "ftp://example.org")
    assert response.status == 422
    assert response.body == "unsupported scheme"


def test_method_not_allowed(app):
    assert app.handle("DELETE", "/2").status == 405


def test_listener_is_told():
    notify = Mock()
    post(App(notify=notify), "https://example.org/x")
    notify.assert_called_once_with("2", "https://example.org/x")


@pytest.mark.flaky(reruns=2)
@pytest.mark.network
def test_health(app):
    assert app.handle("GET", "/health").body == "ok"


def test_first_code():
    assert encode(0) == "2"
