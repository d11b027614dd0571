//go:build !linux

package loop

// native is whether the loop reads sockets without goroutines.
const native = false
