"""What is true of each project and cannot be read off its text: further facts, changes written by hand."""
from .fresh import FACTS as FRESH
from .go import FACTS as GO
from .javascript import FACTS as JAVASCRIPT
from .python import FACTS as PYTHON
from .rust import FACTS as RUST

FACTS = {**PYTHON, **JAVASCRIPT, **GO, **RUST, **FRESH}
