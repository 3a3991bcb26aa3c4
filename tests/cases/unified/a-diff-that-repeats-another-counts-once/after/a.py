x
y
x
