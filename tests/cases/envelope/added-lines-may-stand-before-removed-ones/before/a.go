func main() {
	debug()
	run()
}
