if level != "user":
    stop()
