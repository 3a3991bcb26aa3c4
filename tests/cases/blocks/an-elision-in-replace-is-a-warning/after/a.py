def a():
    # ... existing code ...
    return 10

def b():
    return 2
