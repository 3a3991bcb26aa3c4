def f(n):
    return str(factorial(n))


def gg(n):
    return factorial(n)
