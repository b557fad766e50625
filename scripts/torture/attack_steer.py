"""Ways to steer or approve from inside."""
from attack_ground import OPEN, REFUSED, WORKS, Way, honest


def ways():
    yield Way("steer", "stop one's own run", stop, REFUSED, REFUSED)
    yield honest("steer", "a person who stops a run that rests", person)


def stop(ground):
    ground.loop('"$PITON" stop r')
    return OPEN if "stop_requested" in ground.kinds() else REFUSED


def person(ground):
    ground.loop("true", "false")
    done = ground.piton("note", "r", "well done")
    return WORKS if done.returncode == 0 else f"exit {done.returncode}: {done.stderr}"
