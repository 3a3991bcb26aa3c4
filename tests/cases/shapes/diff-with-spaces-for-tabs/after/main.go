package main

import "fmt"

func main() {
    name := "moon"
	fmt.Println("hello, " + name)
}
