say("it's - ok")
n = 1
