x = 3
[Showing lines 1-20 of 300]
y = 2
