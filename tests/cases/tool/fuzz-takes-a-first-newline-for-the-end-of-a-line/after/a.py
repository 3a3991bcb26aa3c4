x = 1
y = 2
z = 4
z = 5