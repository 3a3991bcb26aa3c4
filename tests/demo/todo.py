"""A list of things to do, kept in a text file."""

import sys

PATH = "todo.txt"


def load():
    with open(PATH) as file:
        return file.read().splitlines()


def add(items, text):
    items.append(text)


def show(items):
    for item in items:
        print(item)


def main(args):
    items = load()
    if args:
        add(items, " ".join(args))
    show(items)


if __name__ == "__main__":
    main(sys.argv[1:])
