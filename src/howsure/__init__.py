"""How confident is your NLP model, is that confidence justified, and what does it mean for your results?

The public names are loaded when they are first used, so that `import howsure` is quick.
"""

from howsure.first_use import names_in

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
