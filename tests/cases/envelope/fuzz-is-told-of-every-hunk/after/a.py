x = 2
m
  y = 2
