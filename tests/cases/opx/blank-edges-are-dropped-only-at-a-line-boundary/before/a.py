xdef f():
    pass
