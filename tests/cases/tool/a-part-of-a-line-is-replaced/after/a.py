def f(n):
    return str(math.factorial(n))


def g(n):
    return factorial(n)
