package headrace

import (
	"context"
	"crypto/tls"
	"net"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// WithTLS encrypts the connection. config says whom to trust and as whom to come; nil is
// the system's authorities and no certificate. It must not be changed afterwards.
// Default: plaintext.
func WithTLS(config *tls.Config) DialOption {
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return func(c *dialConfig) { c.tls = config }
}

// WithToken sends a token with every call, as "authorization: Bearer …". Without TLS it
// goes only to the loopback interface, to a Unix socket, or where [WithDialer] leads; else
// Dial fails with [ErrInvalidField]. Default, and when it is empty: none.
func WithToken(token string) DialOption {
	return func(c *dialConfig) { c.token = token }
}

// credentialOptions are how the connection is encrypted and what is sent along.
func credentialOptions(addr string, config dialConfig) ([]grpc.DialOption, error) {
	transport := insecure.NewCredentials()
	if config.tls != nil {
		transport = credentials.NewTLS(config.tls)
	}
	options := []grpc.DialOption{grpc.WithTransportCredentials(transport)}
	if config.token == "" {
		return options, nil
	}
	if config.tls == nil && config.dialer == nil && !local(addr) {
		return nil, &Error{
			Reason: "INVALID_FIELD", Field: "token", Message: "a token is sent over TLS, or to this machine alone",
		}
	}
	return append(options, grpc.WithPerRPCCredentials(bearer(config.token))), nil
}

// local reports whether an address is of this machine.
func local(addr string) bool {
	if strings.HasPrefix(addr, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// bearer is a token as gRPC sends it along.
type bearer string

var _ credentials.PerRPCCredentials = bearer("")

// GetRequestMetadata gives the header.
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity is false: where the token may go is judged by the address.
func (bearer) RequireTransportSecurity() bool { return false }
