def run():
    go()
