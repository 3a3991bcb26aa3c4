def total(items):
    """
    > quoted
    """
    return sum(items)


def mean(items):
    return total(items) / len(items)


def spread(items):
    return max(items) - min(items)
