def f():
	gone();
	kept();
