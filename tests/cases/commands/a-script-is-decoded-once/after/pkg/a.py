def total(items):
    return sum(items, 0)  # "0" and \n


def mean(items):
    return total(items) / len(items)


def spread(items):
    return max(items) - min(items)
