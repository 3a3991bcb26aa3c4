func f() {
	if x {
		for {
			z()
		}
	}
}
