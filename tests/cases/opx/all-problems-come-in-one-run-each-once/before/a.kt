val a = 1
val a = 1
