RATE = 0.2

MIN = 1
