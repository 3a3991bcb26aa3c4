def load():
    try:
        with open(PATH) as file:
            return file.read()
    except FileNotFoundError:
        return ""
