from .language import Language
class Java(Language): pass
class CSharp(Language): pass
class Ruby(Language): pass
class Php(Language): pass
class CPlusPlus(Language): pass
