const val A = 1
