from calcparse import tokenize


def kinds(text):
    return [kind for kind, _ in tokenize(text)]


def assert_tokens(text, *expected):
    assert [token for _, token in tokenize(text)] == list(expected)
