def f(n):
    return str(factorial(n))


def h(n):
    return factorial(n)
