class Cart:
    def __init__(self, items):
        self.items = items

    # ... existing code ...
