class A:
    def one(self):
        return 1

    def two(self):
        return 2

    def three(self):
        return 3


class B:
    def one(self):
        return 10
