val c = 1
