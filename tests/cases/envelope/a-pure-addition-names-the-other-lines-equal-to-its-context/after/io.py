class Reader:
    def close(self):
        log("close")
        self.file.close()


class Writer:
    def close(self):
        self.file.close()
