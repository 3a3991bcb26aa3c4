class Reader:
    def close(self):
        self.file.close()


class Appender:
    def close(self):
        self.file.close()
