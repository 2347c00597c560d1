package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOutputSteersNoTerminal, unless that is asked for; elsewhere it is as it was written.
func TestOutputSteersNoTerminal(t *testing.T) {
	t.Parallel()
	const written = "\x1b]0;owned\a\x1b[2Jdone\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		data := base64.StdEncoding.EncodeToString([]byte(written))
		_, _ = fmt.Fprintf(w, "event: output\nid: 4\ndata: {\"source\":\"stdout\",\"data\":%q}\n\nevent: end\ndata: {\"execution_id\":\"x\",\"state\":\"completed\",\"exit_code\":0}\n\n", data)
	}))
	defer server.Close()
	ask := []string{"logs", "x", "--server", server.URL}
	screen, end := onTerminal(t.Context(), t, nil, ask...)
	if got := <-end; got.code != exitOK || !strings.Contains(screen.raw(), "^[]0;owned^G^[[2Jdone") || strings.ContainsAny(screen.raw(), "\x1b\a") {
		t.Errorf("%+v, %q", got, screen.raw())
	}
	screen, end = onTerminal(t.Context(), t, nil, append(ask, "--raw")...)
	if got := <-end; got.code != exitOK || !strings.Contains(screen.raw(), strings.TrimSpace(written)) {
		t.Errorf("%+v, %q", got, screen.raw())
	}
	if got := invoke(t, nil, ask...); got.stdout != written {
		t.Errorf("%q", got.stdout)
	}
}
