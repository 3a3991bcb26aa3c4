0
b
c
