package httpapi

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/labstack/echo/v4"
)

// smallBody is, in bytes, the length up to which the word of a client is enough to get the memory for it.
const smallBody = 4 << 10

// body is the request's body. The error is a *http.MaxBytesError when it is too large, else a *Problem: when it came
// too slowly, coded, broken or not whole.
func (s *Server) body(c echo.Context) ([]byte, error) {
	if coding := c.Request().Header.Get(echo.HeaderContentEncoding); coding != "" && !strings.EqualFold(coding, "identity") {
		c.Response().Header().Set(echo.HeaderAcceptEncoding, "identity") // RFC 9110, section 12.5.3
		return nil, newProblem(http.StatusUnsupportedMediaType, "bodies are read as they are, not coded as %.40q", coding)
	}
	body, err := s.read(c.Response(), c.Request())
	var large *http.MaxBytesError
	switch {
	case err == nil, errors.As(err, &large):
		return body, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, newProblem(http.StatusRequestTimeout, "the body did not come in time")
	}
	return nil, newProblem(http.StatusBadRequest, "the body cannot be read: %v", err)
}

func (s *Server) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	switch {
	case r.ContentLength > s.cfg.MaxBody:
		return nil, &http.MaxBytesError{Limit: s.cfg.MaxBody}
	case r.ContentLength >= 0 && r.ContentLength <= smallBody: // no more than that comes
		body := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, body)
		return body, err
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, s.cfg.MaxBody))
}
