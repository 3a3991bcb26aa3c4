def f():
    x = 2
    y
