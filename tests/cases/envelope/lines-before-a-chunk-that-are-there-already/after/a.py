import a
import a
import b

x = 2
