def f(n):
    return str(factorial(n))


def g(n):
    return factorial(n)
