userid = 1
