def total(items):
    return sum(items, 0)
    # q


def mean(items):
    return total(items) / len(items)


def spread(items):
    return max(items) - min(items)
