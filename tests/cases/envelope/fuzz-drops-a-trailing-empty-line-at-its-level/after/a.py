x = 2
z
