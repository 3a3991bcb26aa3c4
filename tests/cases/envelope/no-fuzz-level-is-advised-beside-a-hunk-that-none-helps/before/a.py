def first():   
    one = 1
    two = 2
    three = 3

def second():
        four = 4
        five = 5
