x = 1

if y:
    y = 2
