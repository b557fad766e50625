import nox


@nox.session(python=["3.10", "3.12"])
def tests(session):
    session.install("-e", ".", "pytest", "pytest-cov")
    session.run("pytest", "--cov=cachekit", "--cov-fail-under=88")
