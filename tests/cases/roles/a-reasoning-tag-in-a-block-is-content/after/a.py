def total(items):
    return sum(items)  # <think>
    # </think>


def mean(items):
    return total(items) / len(items)


def spread(items):
    return max(items) - min(items)
