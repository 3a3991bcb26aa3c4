a

c
