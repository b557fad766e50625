import pytest

from shorturl.app import App


@pytest.fixture
def app():
    return App()


@pytest.fixture
def full_app(app):
    for name in ("a", "b", "c"):
        app.handle("POST", "/links", '{"url": "https://example.org/%s"}' % name)
    return app
