val b = 1
val c = 2
