package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// replicaFlag is shared by the commands that talk to a running replica.
type replicaFlag struct {
	Server  string `placeholder:"URL" help:"A running replica; without it that of the context, or else http://127.0.0.1:8080."`
	Context string `type:"ident" placeholder:"NAME" help:"The context to use, instead of the current one: context set, context use."`
	CA      string `name:"ca" placeholder:"FILE" help:"Certificate authorities that the replica is checked against (PEM); by default the system's."`
	tokenFlag
}

// serverFlags are shared by those that show what it answers.
type serverFlags struct {
	replicaFlag
	outputFlags
}

// maxAnswer bounds what is read of one answer: a planner has 4 MiB at most.
const maxAnswer = 64 << 20

// client talks to one replica over HTTP.
type client struct {
	base *url.URL
	con  *console
	http *http.Client
}

func (f replicaFlag) client(con *console) (*client, error) {
	to, err := f.reach(con)
	if err != nil {
		return nil, err
	}
	base, err := parseServer(to.server)
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	trusting, err := trusting(to.ca)
	if err != nil {
		return nil, fmt.Errorf("--ca: %w", err)
	}
	f.remember(con)
	transport := bearer{token: to.token, host: base.Host, next: trusting}
	return &client{base: base, con: con, http: &http.Client{Timeout: time.Minute, Transport: transport}}, nil
}

// trusting is how requests go, checked against the authorities in a file; "" is the system's.
func trusting(ca string) (http.RoundTripper, error) {
	if ca == "" {
		return http.DefaultTransport, nil
	}
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no PEM certificate", ca)
	}
	own, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, errors.New("the transport takes no authorities")
	}
	own = own.Clone()
	own.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
	return own, nil
}

// parseServer reads the address of an HTTP server. Its error does not repeat it: it may hold a password, of
// which in a malformed one anything may be a part.
func parseServer(raw string) (*url.URL, error) {
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		return nil, errors.New("not a URL such as http://127.0.0.1:8080")
	}
	return u, nil
}

// url is the address of a path made of unescaped segments.
func (c *client) url(query url.Values, segments ...string) *url.URL {
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	u := c.base.JoinPath(segments...)
	u.RawQuery = query.Encode()
	return u
}

// get reads one JSON answer. An answer that is none of success is a *problem.
func (c *client) get(ctx context.Context, u *url.URL) ([]byte, error) {
	return c.do(ctx, http.MethodGet, u, nil)
}

// post sends one JSON document and reads the answer as get does.
func (c *client) post(ctx context.Context, u *url.URL, doc []byte) ([]byte, error) {
	return c.do(ctx, http.MethodPost, u, doc)
}

// del removes what stands at u.
func (c *client) del(ctx context.Context, u *url.URL) error {
	_, err := c.do(ctx, http.MethodDelete, u, nil)
	return err
}

func (c *client) do(ctx context.Context, method string, u *url.URL, doc []byte) (body []byte, err error) {
	_, body, err = c.send(ctx, method, u, doc)
	return body, err
}

// success is what there is to know of an answer of success beside its body.
type success struct {
	status int
	header http.Header
}

// send is do that tells which success it was.
func (c *client) send(ctx context.Context, method string, u *url.URL, doc []byte) (was success, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(doc))
	if err != nil {
		return success{}, nil, err
	}
	req.Header.Set("Accept", "application/json")
	if doc != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodPost {
		req.Header.Set("Idempotency-Key", rand.Text()) // net/http then sends it again when a connection breaks
	}
	resp, err := ask(c.http, req)
	if err != nil {
		return success{}, nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode/100 != 2 {
		return success{}, nil, readProblem(resp)
	}
	if body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer)); err != nil {
		return success{}, nil, &unreachableError{u.Host, true, err}
	}
	return success{resp.StatusCode, resp.Header}, body, nil
}

// problem is an error answer (RFC 9457).
type problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Errors []struct {
		Path    string `json:"path"`
		Message string `json:"message"`
	} `json:"errors"`
	Result  *result  `json:"result"`           // why something can't be booked
	Missing []string `json:"missing_planners"` // peers whose planners booking needs

	doc []byte // as it came
}

// Error is one line, the most specific there is: the faults, else the detail, else the title.
func (p *problem) Error() string {
	faults := make([]string, len(p.Errors))
	for i, e := range p.Errors {
		faults[i] = strings.TrimPrefix(e.Path+": "+e.Message, ": ")
	}
	return printable(cmp.Or(strings.Join(faults, "; "), p.Detail, p.Title))
}

// about names what a question was about, where the answer is that there is no such thing.
func about(err error, kind, id string) error {
	if p, ok := errors.AsType[*problem](err); ok && p.Status == http.StatusNotFound {
		return fmt.Errorf("%s %q: %w", kind, id, err)
	}
	return err
}

// readProblem never fails: a proxy's HTML page is an answer, too.
func readProblem(resp *http.Response) *problem {
	p := &problem{}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || json.Unmarshal(bytes.TrimSpace(body), p) != nil || p.Title == "" {
		p.Title = http.StatusText(resp.StatusCode)
	}
	p.Status, p.doc = resp.StatusCode, body
	return p
}
