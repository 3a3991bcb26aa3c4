val b = 1
