class A:
    def run(self):
        return 1


class B:
    size = 1


class C:
    def run(self):
        return 1
