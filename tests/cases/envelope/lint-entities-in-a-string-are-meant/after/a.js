x()
y(s.replace("<", "&lt;"))
