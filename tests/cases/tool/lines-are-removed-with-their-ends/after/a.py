def f(n):
    return str(factorial(n))
