def total(items):
    return sum(items, 0)  # don't start at none


def mean(items):
    return total(items) / len(items)


def spread(items):
    return max(items) - min(items)
