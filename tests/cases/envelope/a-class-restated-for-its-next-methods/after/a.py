class A:
    def one(self):
        return 10

    def two(self):
        return 20

    def three(self):
        return 30


class B:
    def one(self):
        return 1
