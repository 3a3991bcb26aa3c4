def f(n):
    x = 1
    y = 2
    return n


def g(n):
    z = 3
    return 2 * n


def h(n):
    return 3 * n
