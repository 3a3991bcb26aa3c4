import a
import b
import c

def f():
    pass

import a
import b
import c
