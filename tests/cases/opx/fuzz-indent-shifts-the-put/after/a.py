def f():
    a = 1
    if a:
        b()
    return a
