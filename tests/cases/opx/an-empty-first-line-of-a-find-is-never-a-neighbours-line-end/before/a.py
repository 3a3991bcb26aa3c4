def g():
    pass
def f():
    pass
