def f(self):
    x = 2
“def f
    x = 1
