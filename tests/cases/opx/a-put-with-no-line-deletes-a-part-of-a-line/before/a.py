f(a, debug=True)
