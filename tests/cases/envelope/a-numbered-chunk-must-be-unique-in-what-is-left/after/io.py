class Reader:
    def close(self):
        self.file.close()


class Writer:
    """Writes."""

    def close(self):
        self.file.flush()
