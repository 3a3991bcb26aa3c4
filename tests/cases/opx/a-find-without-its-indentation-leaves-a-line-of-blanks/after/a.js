def f():
	
	kept();
