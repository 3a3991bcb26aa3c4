def run():
    prepare()

    go()
