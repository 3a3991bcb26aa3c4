class Reader:
    def close(self):
        self.file.close(1)


class Writer:
    def close(self):
        self.file.close(2)
