def f(n):
    return str(f(n))


def g(n):
    return f(n)
