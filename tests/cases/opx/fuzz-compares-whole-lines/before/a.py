call(a,  b)  # x 
next 
