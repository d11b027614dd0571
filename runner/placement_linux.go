package runner

import (
	"bytes"
	"net"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// place deals the connections out so that a client's event loop and its server
// process start on the same core, where both are on this machine and there is
// a loop for every core. A wake-up of a process on another core is an
// interrupt there; with a server that is as busy as its client, the scheduler
// leaves both where they are, so that the first deal decides. On two cores it
// was worth a third of the throughput. pgbench gets the same by chance: each of
// its threads makes its own connections, one after the other.
func (r *run) place(needs []*need) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil || len(r.loops) < 2 || set.Count() != len(r.loops) {
		return
	}
	for _, n := range needs {
		if n.g.Listen != "" || !local(n.nc.RemoteAddr()) {
			return
		}
	}
	loopOn := map[int]*eventLoop{} // by core
	for cpu, i := 0, 0; i < len(r.loops); cpu++ {
		if set.IsSet(cpu) {
			r.loops[i].core = cpu
			loopOn[cpu] = r.loops[i]
			i++
		}
	}
	var rest []*need // connections that found no client of their core's loop
	free := map[*eventLoop][]*need{}
	made := make([]need, len(needs))
	for i, n := range needs {
		made[i] = *n
		free[n.loop] = append(free[n.loop], n)
	}
	give := func(to *need, from *need) { to.cn, to.nc = from.cn, from.nc }
	for i := range made {
		l := loopOn[coreOf(made[i].cn.pid)]
		if l == nil || len(free[l]) == 0 {
			rest = append(rest, &made[i])
			continue
		}
		give(free[l][0], &made[i])
		free[l] = free[l][1:]
	}
	for _, l := range r.loops {
		for _, n := range free[l] {
			give(n, rest[0])
			rest = rest[1:]
		}
	}
}

// local says whether a server's address is on this machine.
func local(a net.Addr) bool {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.IP.IsLoopback()
	}
	return a.Network() == "unix"
}

// coreOf is the core that a process ran on last (proc(5), field 39 of stat);
// -1 if that cannot be told. It allocates nothing.
func coreOf(pid uint32) int {
	var path [32]byte
	name := append(strconv.AppendUint(append(path[:0], "/proc/"...), uint64(pid), 10), "/stat\x00"...)
	at := unix.AT_FDCWD
	fd, _, errno := unix.RawSyscall6(unix.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(&name[0])), unix.O_RDONLY|unix.O_CLOEXEC, 0, 0, 0)
	if errno != 0 {
		return -1
	}
	var stat [1024]byte
	n, _, errno := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&stat[0])), uintptr(len(stat)))
	unix.RawSyscall(unix.SYS_CLOSE, fd, 0, 0)
	if errno != 0 {
		return -1
	}
	return coreIn(stat[:n])
}

// coreIn reads the core out of a process's stat.
func coreIn(stat []byte) int {
	// The name, field 2, may hold blanks and parentheses.
	rest := stat[bytes.LastIndexByte(stat, ')')+1:]
	const blanks = 37 // before field 39
	for range blanks {
		i := bytes.IndexByte(rest, ' ')
		if i < 0 {
			return -1
		}
		rest = rest[i+1:]
	}
	core := -1
	for _, digit := range rest {
		if digit < '0' || digit > '9' {
			break
		}
		core = 10*max(core, 0) + int(digit-'0')
	}
	return core
}

// settle puts the event loop on its core.
func (l *eventLoop) settle() {
	if l.core < 0 {
		return
	}
	runtime.LockOSThread()
	var one unix.CPUSet
	one.Set(l.core)
	_ = unix.SchedSetaffinity(0, &one)
}
