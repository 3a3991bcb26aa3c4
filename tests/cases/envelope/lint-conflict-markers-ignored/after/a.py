a
<<<<<<< HEAD
b
