def total(items):
    return sum(items, 0)


def mean(items):
    return 0


def spread(items):
    return max(items) - min(items)
