def f(n):
    return sTR(factorial(n))


def g(n):
    return factorial(n)
