def run():
    prepare()
    go()
