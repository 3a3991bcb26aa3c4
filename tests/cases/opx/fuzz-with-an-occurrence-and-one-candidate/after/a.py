x = 2
y
