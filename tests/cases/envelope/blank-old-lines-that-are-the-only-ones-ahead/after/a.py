def f():
    a()

# g

def g():
    pass
