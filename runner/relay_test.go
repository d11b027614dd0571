package runner_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"
)

// relay forwards TCP connections on loopback to a bed's server.
type relay struct {
	listener net.Listener
	network  string
	address  string
	tls      *tls.Config // terminate TLS as a server with ssl = on would

	// While a pause lasts no byte passes in either direction.
	gate   sync.RWMutex
	pauses []pause
}

type pause struct{ from, to time.Time }

// startRelay listens until the test ends and makes the bed connect through it.
func startRelay(tb testing.TB, b *bed, config *tls.Config) *relay {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	r := &relay{listener: l, tls: config}
	r.network, r.address = "tcp", net.JoinHostPort(b.config.Host, strconv.Itoa(int(b.config.Port)))
	if b.config.Host[0] == '/' {
		r.network, r.address = "unix", b.config.Host+"/.s.PGSQL."+strconv.Itoa(int(b.config.Port))
	}
	tb.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(c)
		}
	}()
	b.config = b.config.Copy()
	b.config.Host, b.config.Port = "127.0.0.1", uint16(l.Addr().(*net.TCPAddr).Port)
	b.config.TLSConfig, b.config.Fallbacks = nil, nil
	if config != nil {
		b.config.TLSConfig = &tls.Config{InsecureSkipVerify: true}
	}
	return r
}

func (r *relay) serve(c net.Conn) {
	defer c.Close()
	up, err := net.Dial(r.network, r.address)
	if err != nil {
		return
	}
	defer up.Close()
	if r.tls != nil {
		request := make([]byte, 8) // SSLRequest
		if _, err := io.ReadFull(c, request); err != nil {
			return
		}
		if _, err := c.Write([]byte{'S'}); err != nil {
			return
		}
		c = tls.Server(c, r.tls)
	}
	done := make(chan struct{}, 2)
	pump := func(to io.WriteCloser, from io.Reader) {
		buf := make([]byte, 32<<10)
		for {
			n, err := from.Read(buf)
			if n > 0 {
				r.gate.RLock()
				_, werr := to.Write(buf[:n])
				r.gate.RUnlock()
				if werr != nil {
					break
				}
			}
			if err != nil {
				break
			}
		}
		done <- struct{}{}
	}
	go pump(up, c)
	go pump(c, up)
	<-done
}

// stall lets nothing pass for d every period, until stop is closed.
func (r *relay) stall(d, period time.Duration, stop <-chan struct{}) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		r.gate.Lock()
		from := time.Now()
		timer := time.NewTimer(d)
		<-timer.C
		r.pauses = append(r.pauses, pause{from, time.Now()})
		r.gate.Unlock()
	}
}

// selfSigned is a throw-away certificate.
func selfSigned(tb testing.TB) *tls.Config {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		tb.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}
