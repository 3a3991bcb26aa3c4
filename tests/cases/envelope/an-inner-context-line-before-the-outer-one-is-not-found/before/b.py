y = 3
    y  = 2
class C:
    z = 1
