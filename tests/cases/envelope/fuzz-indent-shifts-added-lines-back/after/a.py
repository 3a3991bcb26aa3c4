a = 1
if a:
  c()

d()
