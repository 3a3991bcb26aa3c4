class A:
    x = 1 
class B:
    x = 2
