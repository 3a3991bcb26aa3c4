x = 1 
m
  y = 1
