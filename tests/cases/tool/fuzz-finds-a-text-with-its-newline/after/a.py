
if y:
    y = 9
    z = 3
