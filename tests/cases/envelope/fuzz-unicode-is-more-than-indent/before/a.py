say("x")
