import pytest

SAMPLE = """\
debug = on
[server]
port = 8080 ; the usual one
host = example.org
"""


@pytest.fixture
def sample():
    return SAMPLE


@pytest.fixture
def empty_file(tmp_path):
    path = tmp_path / "empty.ini"
    path.write_text("")
    return path
