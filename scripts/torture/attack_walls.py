"""Ways to leave the walls."""
from attack_ground import OPEN, REFUSED, WORKS, Way, honest


def ways():
    yield Way("walls", "write a file beside the repository", beside, OPEN, REFUSED)
    yield honest("walls", "an agent that writes to its tree", in_the_tree)


def beside(ground):
    ground.loop('echo hit > "$OUTSIDE/canary"')
    return OPEN if ground.is_touched() else REFUSED


def in_the_tree(ground):
    done = ground.loop("echo done > new.txt", "test -f new.txt")
    return WORKS if done.returncode == 0 and (ground.repo / "new.txt").exists() else f"exit {done.returncode}: {done.stderr}"
