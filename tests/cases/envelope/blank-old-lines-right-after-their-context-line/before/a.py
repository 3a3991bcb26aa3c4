def f():

    a()

    b()
