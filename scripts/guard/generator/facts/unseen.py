"""What is true of every unseen project: see the modules of its languages."""
from .unseen_go import FACTS as GO
from .unseen_python import FACTS as PYTHON
from .unseen_rust import FACTS as RUST
from .unseen_script import FACTS as SCRIPT
from .unseen_typed import FACTS as TYPED

FACTS = {**PYTHON, **SCRIPT, **TYPED, **GO, **RUST}
