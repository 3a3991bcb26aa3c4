// café
x = 1
