from .language import Language
class Rust(Language): pass
