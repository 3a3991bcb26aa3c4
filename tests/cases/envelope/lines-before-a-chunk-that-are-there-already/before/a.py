import a
import b

x = 1
