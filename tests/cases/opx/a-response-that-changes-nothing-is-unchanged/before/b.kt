val b = 2
