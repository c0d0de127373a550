package server

import (
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Limits of the operations listener.
const (
	opsReadTimeout    = 10 * time.Second
	opsWriteTimeout   = 30 * time.Second
	opsMaxHeaderBytes = 16 << 10
)

// newOps makes the HTTP server for operators: /metrics for Prometheus, /livez for
// whether the process is to be left alone, /readyz for whether to send it clients.
func newOps(registry *prometheus.Registry, live, ready func() error) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry}))
	mux.Handle("GET /livez", probe(live))
	mux.Handle("GET /readyz", probe(ready))
	return &http.Server{
		Handler:           mux,
		ReadTimeout:       opsReadTimeout,
		ReadHeaderTimeout: opsReadTimeout,
		WriteTimeout:      opsWriteTimeout,
		MaxHeaderBytes:    opsMaxHeaderBytes,
	}
}

// probe answers 200, or 503 with what is wrong.
func probe(check func() error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer := "ok\n"
		if err := check(); err != nil {
			answer = err.Error() + "\n"
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		// The client went away: nobody is left to be told.
		_, _ = io.WriteString(w, answer)
	})
}
