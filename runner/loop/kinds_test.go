package loop

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"testing"
	"time"
)

// certificate is a throw-away one.
func certificate(tb testing.TB) *tls.Config {
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

// kind is a way to connect.
type kind struct {
	name   string
	client func(net.Conn) net.Conn
	server func(net.Conn) net.Conn
	pipe   bool // a net.Pipe, whose descriptor no loop can take over
}

// kinds are all ways.
func kinds(tb testing.TB) []kind {
	config := certificate(tb)
	plain := func(nc net.Conn) net.Conn { return nc }
	secure := func(version uint16) (client, server func(net.Conn) net.Conn) {
		s := config.Clone()
		s.MaxVersion = version
		return func(nc net.Conn) net.Conn {
				return tls.Client(nc, &tls.Config{InsecureSkipVerify: true, DynamicRecordSizingDisabled: true})
			}, func(nc net.Conn) net.Conn {
				return tls.Server(nc, s)
			}
	}
	c12, s12 := secure(tls.VersionTLS12)
	c13, s13 := secure(tls.VersionTLS13)
	return []kind{
		{"plain", plain, plain, false}, {"TLS 1.2", c12, s12, false}, {"TLS 1.3", c13, s13, false},
		{"pipe", plain, plain, true}, {"TLS over a pipe", c13, s13, true},
	}
}

// pair connects the two ends; both have done their handshakes.
func (k kind) pair(tb testing.TB) (client, server net.Conn) {
	tb.Helper()
	dial := func(context.Context, string, string) (nc net.Conn, err error) {
		nc, server = net.Pipe()
		return nc, nil
	}
	if !k.pipe {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		defer l.Close()
		dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			nc, err := d.DialContext(ctx, network, l.Addr().String())
			if err == nil {
				server, err = l.Accept()
			}
			return nc, err
		}
	}
	nc, err := Dial(dial)(context.Background(), "tcp", "")
	if err != nil {
		tb.Fatal(err)
	}
	client, server = k.client(nc), k.server(server)
	if t, ok := server.(*tls.Conn); ok {
		shaken := make(chan error, 1)
		go func() { shaken <- t.Handshake() }()
		if err := errors.Join(client.(*tls.Conn).Handshake(), <-shaken); err != nil {
			tb.Fatal(err)
		}
	}
	tb.Cleanup(func() { server.Close() })
	return client, server
}
