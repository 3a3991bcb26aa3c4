def start():
    log("start")
    run()

def stop():
    log("begin")
    halt()
