def parse(): pass
