// helper does what a node of the lab needs and Node.js cannot do.
//
//	helper forward PID TARGET LISTEN...   listens inside the network namespace of PID, dials TARGET from here
//	helper gpus RESOURCE COUNT NODE DIR   a device plugin with COUNT devices
package main

import (
	"log"
	"os"
	"strconv"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	if len(os.Args) < 5 {
		log.Fatal("helper forward PID TARGET LISTEN... | helper gpus RESOURCE COUNT NODE DIR")
	}
	words := os.Args[2:]
	switch os.Args[1] {
	case "forward":
		forward(words[0], words[1], words[2:])
	case "gpus":
		count, err := strconv.Atoi(words[1])
		check(err)
		offer(words[0], count, words[2], words[3])
	}
}
