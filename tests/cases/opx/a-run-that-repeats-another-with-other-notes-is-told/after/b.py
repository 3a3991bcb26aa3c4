y y x
