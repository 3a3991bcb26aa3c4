x = 1 
y
x = 1
z
