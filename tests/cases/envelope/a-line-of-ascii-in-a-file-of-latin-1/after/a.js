// café
x = 2
