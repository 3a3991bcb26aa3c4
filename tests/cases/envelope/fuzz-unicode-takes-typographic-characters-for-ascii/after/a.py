say("it's - ok")
n = 2
