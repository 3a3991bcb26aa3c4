def f():
    a()

def g():
    pass
