def f(n):
    return n


def g(n):
    return 2 * n
