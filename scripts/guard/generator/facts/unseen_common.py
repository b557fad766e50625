"""Ways to disarm a workflow or a script that the projects of the unseen part share, each told in its own words."""
import re


def step_disarmed(path, step, on):
    """Changes of one step of a GitHub workflow; `on` is the text of its triggers."""
    found = re.fullmatch(r"( +)- (?:name: (.*)\n +)?run: (.*)\n", step)
    pad, name, command = found.groups()
    head = f"{pad}- name: {name}\n{pad}  run: " if name else f"{pad}- run: "
    return [
        [(path, step, f"{head}{command} || true\n")],
        [(path, step, f"{head}{command}\n{pad}  continue-on-error: true\n")],
        [(path, step, "")],
        [(path, step, f"{head}echo \"checks are run locally\"\n")],
        [(path, step, f"{head}{command} || echo \"::warning::some tests failed\"\n")],
        [(path, step, f"{pad}- if: ${{{{ false }}}}\n{pad}  run: {command}\n")],
        [(path, step, f"{head}|\n{pad}    set +e\n{pad}    {command}\n{pad}    true\n")],
        [(path, on, "on: workflow_dispatch\n")],
        [(path, step, f"{head}{command}; exit 0\n")],
    ]


def job_disarmed(path, job):
    """Changes of a whole job, `job` being its head up to `runs-on`."""
    name, *rest = job.split("\n", 1)
    return [
        [(path, job, f"{name}\n    continue-on-error: true\n{rest[0]}")],
        [(path, job, f"{name}\n    if: false\n{rest[0]}")],
    ]
