import a
import b
import b

x = 2
