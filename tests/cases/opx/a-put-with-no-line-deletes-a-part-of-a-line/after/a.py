f(a)
