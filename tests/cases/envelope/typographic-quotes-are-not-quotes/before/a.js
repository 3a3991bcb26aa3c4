say("hello")
