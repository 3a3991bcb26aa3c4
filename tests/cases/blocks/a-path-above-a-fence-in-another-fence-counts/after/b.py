def first(items):
    return next(iter(items))
