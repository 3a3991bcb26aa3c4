def f(a):
    total = count(a)
    return total


total = count(a)
print(total)
