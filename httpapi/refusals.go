package httpapi

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// refusals accepts connections on which net/http's own answers are problems, too. To what is no request, or
// has too large a header, it writes a line of text before there is a request to handle; nothing but the
// connection sees it.
type refusals struct {
	net.Listener
	log *slog.Logger
}

// Accept implements net.Listener.
func (l refusals) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		return &served{TCPConn: tcp, log: l.log}, nil
	}
	return conn, err
}

// served is a connection until it is taken over. net/http writes to it from one goroutine.
type served struct {
	*net.TCPConn
	log   *slog.Logger
	begun bool // the answer to the present request
}

// TakenOver is the connection for those who speak something else from here on.
func (s *served) TakenOver() net.Conn { return s.TCPConn }

// connected is net/http's word of what becomes of a connection.
func (s *Server) connected(conn net.Conn, state http.ConnState) {
	answered(conn, state)
	s.idle.changed(conn, state)
}

// answered is net/http's word that an answer is complete: a refusal may be next.
func answered(conn net.Conn, state http.ConnState) {
	if s, ok := conn.(*served); ok && state == http.StateIdle {
		s.begun = false
	}
}

// Write passes on what is written, but a refusal of net/http's as the problem that it is. That can only be
// the beginning of an answer, in one piece, and lacks what identify gives to all of ours.
func (s *served) Write(p []byte) (int, error) {
	if s.begun || !isError(p) || bytes.Contains(p, []byte("\r\n"+http.CanonicalHeaderKey(echo.HeaderXRequestID)+": ")) {
		s.begun = true
		return s.TCPConn.Write(p)
	}
	s.begun = true
	if err := s.refuse(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// isError says whether an answer begins here whose status is one of an error.
func isError(p []byte) bool {
	const statusAt = len("HTTP/1.1 ")
	return len(p) > statusAt && string(p[:len("HTTP/1.")]) == "HTTP/1." && (p[statusAt] == '4' || p[statusAt] == '5')
}

func (s *served) refuse(plain []byte) error {
	problem := refusalOf(plain)
	doc, err := problem.doc()
	if err != nil {
		return err
	}
	requestID := newRequestID()
	s.log.Debug("not a request", "status", problem.Status, "detail", problem.Detail, "remote", s.RemoteAddr().String(), "request_id", requestID)
	answer := http.Response{
		StatusCode: problem.Status, ProtoMajor: 1, ProtoMinor: 1, Close: true, ContentLength: int64(len(doc) + len(lineEnd)),
		Header: http.Header{
			echo.HeaderContentType: {problemType}, echo.HeaderCacheControl: noStore,
			echo.HeaderXRequestID: {requestID}, echo.HeaderXContentTypeOptions: nosniff,
		},
		Body: io.NopCloser(io.MultiReader(bytes.NewReader(doc), bytes.NewReader(lineEnd))),
	}
	var whole bytes.Buffer
	if err := answer.Write(&whole); err != nil {
		return err
	}
	_, err = s.TCPConn.Write(whole.Bytes())
	return err
}

// refusalOf reads an answer such as: 400 Bad Request: malformed Host header.
func refusalOf(plain []byte) *Problem {
	line, _, _ := strings.Cut(string(plain[len("HTTP/1.1 "):]), "\r\n")
	code, text, _ := strings.Cut(line, " ")
	status, err := strconv.Atoi(code)
	if err != nil {
		status = http.StatusBadRequest
	}
	_, detail, _ := strings.Cut(text, ": ")
	switch {
	case detail != "":
	case status == http.StatusRequestHeaderFieldsTooLarge:
		detail = "the header of a request may have " + strconv.Itoa(maxHeaderBytes) + " bytes"
	case status == http.StatusExpectationFailed:
		detail = "no expectation is met but 100-continue"
	case status == http.StatusNotImplemented:
		detail = "no transfer coding is read but chunked"
	default:
		detail = "what came is not a well-formed HTTP request"
	}
	return newProblem(status, "%s", detail)
}
