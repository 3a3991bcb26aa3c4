func main() {
	start()
	run()
	stop()
}
