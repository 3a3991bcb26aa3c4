def f():
    a = 2
    b = 3
    return a
