import a
import b

def f():
    pass

import a
import b
