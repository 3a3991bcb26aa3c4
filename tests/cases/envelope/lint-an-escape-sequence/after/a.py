x = 1
print("[31mred")
