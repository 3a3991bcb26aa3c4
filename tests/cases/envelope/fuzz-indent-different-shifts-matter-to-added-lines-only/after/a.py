if a:
    b()
