package headrace

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"os"
	"slices"
	"strings"
)

// DefaultAddr is where DialEnv looks for a server unless HEADRACE_ADDR says otherwise.
const DefaultAddr = "localhost:7070"

// DialEnv is [Dial] with what the environment says, before opts:
//
//	HEADRACE_ADDR             the server, "host:port"; default "localhost:7070"
//	HEADRACE_TOKEN            the token, see [WithToken]
//	HEADRACE_TLS              "true": the connection is encrypted, see [WithTLS]
//	HEADRACE_TLS_CA           file of the certificate authorities to trust, in PEM; default: the system's
//	HEADRACE_TLS_CERT         file of the client's certificate chain, in PEM
//	HEADRACE_TLS_KEY          file of that certificate's private key, in PEM
//	HEADRACE_TLS_SERVER_NAME  the name that the server's certificate is for; default: the host
//
// Each of HEADRACE_TLS_… encrypts by itself. Errors: those of Dial, and [ErrInvalidField]
// whose Field is the variable at fault.
func DialEnv(ctx context.Context, opts ...DialOption) (*Client, error) {
	addr := os.Getenv("HEADRACE_ADDR")
	if addr == "" {
		addr = DefaultAddr
	}
	config, err := tlsOfEnv()
	if err != nil {
		return nil, err
	}
	said := []DialOption{WithToken(os.Getenv("HEADRACE_TOKEN"))}
	if config != nil {
		said = append(said, WithTLS(config))
	}
	return Dial(ctx, addr, append(said, opts...)...)
}

// tlsOfEnv is what HEADRACE_TLS_… say; nil: the connection is not encrypted.
func tlsOfEnv() (*tls.Config, error) {
	wanted := strings.ToLower(os.Getenv("HEADRACE_TLS"))
	on := slices.Contains([]string{"1", "true", "yes", "on"}, wanted)
	if !on && !slices.Contains([]string{"", "0", "false", "no", "off"}, wanted) {
		return nil, badVariable("HEADRACE_TLS", "it is true or false, not "+wanted, nil)
	}
	ca, cert, key := os.Getenv("HEADRACE_TLS_CA"), os.Getenv("HEADRACE_TLS_CERT"), os.Getenv("HEADRACE_TLS_KEY")
	name := os.Getenv("HEADRACE_TLS_SERVER_NAME")
	if !on && ca == "" && cert == "" && key == "" && name == "" {
		return nil, nil //nolint:nilnil // Nothing was asked for.
	}
	config := &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}
	if err := trust(config, ca); err != nil {
		return nil, err
	}
	return config, comeAs(config, cert, key)
}

// trust makes a configuration trust the authorities of a file, if there is one.
func trust(config *tls.Config, file string) error {
	if file == "" {
		return nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return badVariable("HEADRACE_TLS_CA", "", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return badVariable("HEADRACE_TLS_CA", file+" has no certificate in PEM", nil)
	}
	return nil
}

// comeAs gives a configuration the client's own certificate, if there is one.
func comeAs(config *tls.Config, cert, key string) error {
	switch {
	case cert == "" && key == "":
		return nil
	case cert == "":
		return badVariable("HEADRACE_TLS_CERT", "a key needs its certificate", nil)
	case key == "":
		return badVariable("HEADRACE_TLS_KEY", "a certificate needs its key", nil)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return badVariable("HEADRACE_TLS_CERT", "", err)
	}
	config.Certificates = []tls.Certificate{pair}
	return nil
}

func badVariable(name, why string, cause error) *Error {
	if cause != nil {
		why = cause.Error()
	}
	return &Error{Reason: "INVALID_FIELD", Field: name, Message: name + ": " + why, cause: cause}
}
