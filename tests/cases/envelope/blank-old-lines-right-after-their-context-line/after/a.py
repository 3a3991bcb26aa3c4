def f():

    x = 1
    a()

    b()
