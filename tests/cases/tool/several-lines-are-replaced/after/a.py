def f(n):
    return str(factorial(n))


def g(n):
    m = n
    return factorial(m)
