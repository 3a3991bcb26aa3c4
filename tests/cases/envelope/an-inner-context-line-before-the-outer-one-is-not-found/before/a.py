def run():
    one()


class B:
    def stop(self):
        two()
