class Reader:
    def close(self):
        self.file.close()


class Writer:
    def close(self):
        self.file.close()
