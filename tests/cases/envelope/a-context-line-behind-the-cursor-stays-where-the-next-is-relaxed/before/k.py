class A:
    def f(self):
        old = 1

class B:
    def g(self):
        x = 1
