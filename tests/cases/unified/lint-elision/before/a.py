def f():
    one(with_arguments)
    two(with_arguments)
    three()
