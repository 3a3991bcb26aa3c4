class A:
    def old(self):
        return 1
