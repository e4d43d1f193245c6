package main

import (
	"io"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// forward joins two network namespaces by nothing but the connections that are made.
func forward(pid, target string, listen []string) {
	for _, address := range listen {
		go serve(listenInside(pid, address), target)
	}
	select {}
}

// listenInside lends its thread to the other namespace for as long as it takes to open the socket.
func listenInside(pid, address string) net.Listener {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	here, err := os.Open("/proc/thread-self/ns/net")
	check(err)
	defer here.Close()
	there, err := os.Open("/proc/" + pid + "/ns/net")
	check(err)
	defer there.Close()
	check(unix.Setns(int(there.Fd()), unix.CLONE_NEWNET))
	listener, failure := net.Listen("tcp", address)
	check(unix.Setns(int(here.Fd()), unix.CLONE_NEWNET))
	check(failure)
	return listener
}

func serve(listener net.Listener, target string) {
	for {
		near, err := listener.Accept()
		check(err)
		go func() {
			defer near.Close()
			far, err := net.Dial("tcp", target)
			if err != nil {
				return
			}
			defer far.Close()
			ended := make(chan bool)
			go func() { ended <- carry(near, far) }()
			carry(far, near)
			<-ended
		}()
	}
}

// carry passes on what comes, and then that nothing more will.
func carry(to, from net.Conn) bool {
	_, err := io.Copy(to, from)
	return to.(*net.TCPConn).CloseWrite() == nil && err == nil
}
