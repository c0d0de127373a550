package headrace_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
)

// guarded is a server with a catalog that remembers the token that came.
type guarded struct {
	headracev1.UnimplementedTopicServiceServer

	addr   string
	tokens chan []string // of the calls, in order.
}

func (g *guarded) GetTopic(ctx context.Context, _ *headracev1.GetTopicRequest) (*headracev1.GetTopicResponse, error) {
	g.tokens <- metadata.ValueFromIncomingContext(ctx, "authorization")
	return &headracev1.GetTopicResponse{Topic: &headracev1.Topic{Name: "default/orders"}}, nil
}

// startGuarded starts a server on the loopback interface, with TLS if config is there.
func startGuarded(t *testing.T, config *tls.Config) *guarded {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var options []grpc.ServerOption
	if config != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(config)))
	}
	g := &guarded{addr: l.Addr().String(), tokens: make(chan []string, 10)}
	s := grpc.NewServer(options...)
	headracev1.RegisterTopicServiceServer(s, g)
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.Serve(l) }) // It ends with Stop.
	t.Cleanup(func() {
		s.Stop()
		serving.Wait()
	})
	return g
}

// asks calls the server with a client that the environment makes, and wants the token.
func (g *guarded) asks(t *testing.T, token string) {
	t.Helper()
	t.Setenv("HEADRACE_ADDR", g.addr)
	c, err := headrace.DialEnv(t.Context(), headrace.WithConnectTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Topics().Get(t.Context(), "orders"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(<-g.tokens, ","); got != token {
		t.Errorf("the token came as %q, want %q", got, token)
	}
}

func TestTheEnvironmentSaysWhereTheServerIsAndWithWhatToken(t *testing.T) {
	g := startGuarded(t, nil)
	g.asks(t, "")
	t.Setenv("HEADRACE_TOKEN", "hr_1")
	g.asks(t, "Bearer hr_1")
	t.Setenv("HEADRACE_TLS", "off")
	g.asks(t, "Bearer hr_1")
}

func TestTheEnvironmentEncrypts(t *testing.T) {
	a := newAuthority(t)
	serverConfig := &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{a.issue(t, "headrace.example")},
		ClientCAs: a.pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}
	g := startGuarded(t, serverConfig)
	a.issue(t, "client")
	t.Setenv("HEADRACE_TLS_CA", a.file("ca.pem"))
	t.Setenv("HEADRACE_TLS_CERT", a.file("client.pem"))
	t.Setenv("HEADRACE_TLS_KEY", a.file("client.key"))
	t.Setenv("HEADRACE_TLS_SERVER_NAME", "headrace.example")
	t.Setenv("HEADRACE_TOKEN", "hr_1")
	g.asks(t, "Bearer hr_1")
}

func TestAServerThatIsNotTrustedCannotBeReached(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	g := startGuarded(t, &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{a.issue(t, "127.0.0.1")}})
	for name, option := range map[string]headrace.DialOption{
		"another authority":      headrace.WithTLS(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: other.pool}),
		"the system's authority": headrace.WithTLS(nil),
	} {
		c, err := headrace.Dial(t.Context(), g.addr, option, headrace.WithConnectTimeout(100*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Topics().Get(t.Context(), "orders"); !errors.Is(err, headrace.ErrUnreachable) {
			t.Errorf("%s: %v", name, err)
		}
		_ = c.Close() // It never reached anybody.
	}
}

func TestABadEnvironmentNamesItsVariable(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "client")
	for field, variables := range map[string]map[string]string{
		"HEADRACE_TLS":      {"HEADRACE_TLS": "maybe"},
		"HEADRACE_TLS_CA":   {"HEADRACE_TLS_CA": a.file("nowhere.pem")},
		"HEADRACE_TLS_KEY":  {"HEADRACE_TLS_CERT": a.file("client.pem")},
		"HEADRACE_TLS_CERT": {"HEADRACE_TLS_KEY": a.file("client.key")},
		"token":             {"HEADRACE_TOKEN": "hr_1", "HEADRACE_ADDR": "headrace.example:7070"},
	} {
		t.Run(field, func(t *testing.T) {
			for name, value := range variables {
				t.Setenv(name, value)
			}
			_, err := headrace.DialEnv(t.Context())
			if e, ok := errors.AsType[*headrace.Error](err); !ok || !errors.Is(err, headrace.ErrInvalidField) || e.Field != field {
				t.Errorf("dial: %v", err)
			}
		})
	}
	for name, variables := range map[string][2]string{
		"no PEM": {"HEADRACE_TLS_CA", a.file("client.key")}, "no pair": {"HEADRACE_TLS_CERT", a.file("ca.pem")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HEADRACE_TLS_KEY", "")
			t.Setenv(variables[0], variables[1])
			if variables[0] == "HEADRACE_TLS_CERT" {
				t.Setenv("HEADRACE_TLS_KEY", a.file("client.key"))
			}
			if _, err := headrace.DialEnv(t.Context()); !errors.Is(err, headrace.ErrInvalidField) {
				t.Errorf("dial: %v", err)
			}
		})
	}
}

// authority issues certificates, and has them as files.
type authority struct {
	dir         string
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
	pool        *x509.CertPool
	serial      int64
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir(), pool: x509.NewCertPool()}
	a.key = newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.pool.AddCert(a.certificate)
	a.write(t, "ca.pem", "CERTIFICATE", der)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// issue makes a certificate for a name, as name.pem and name.key too.
func (a *authority) issue(t *testing.T, name string) tls.Certificate {
	t.Helper()
	a.serial++
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1 + a.serial), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	a.write(t, name+".pem", "CERTIFICATE", der)
	a.write(t, name+".key", "PRIVATE KEY", private)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

func (a *authority) write(t *testing.T, name, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(a.file(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
