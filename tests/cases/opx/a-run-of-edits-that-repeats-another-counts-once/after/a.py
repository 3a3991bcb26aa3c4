y x x
