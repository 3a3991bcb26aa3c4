def close(self):
        self.file.close()
class R:
    def close(self):
        self.file.close(force=True)
