package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxAnswer bounds what is read of one answer, in bytes.
const maxAnswer = 8 << 20

// fetch reads JSON of an HTTP address, to which a token is shown unless it is empty, whatever the status; date is when the other end says it
// answered, to the second, or zero.
func fetch(ctx context.Context, address, token, path, query string, into any) (status int, date time.Time, err error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return 0, time.Time{}, errors.New("not a URL such as http://127.0.0.1:8222") // it is not repeated: it may hold a password
	}
	u = u.JoinPath(path)
	u.RawQuery = query
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0, time.Time{}, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Close = true // one question, one answer
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // without the address, which the reader typed
		}
		return 0, time.Time{}, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if date, err = http.ParseTime(resp.Header.Get("Date")); err != nil {
		date = time.Time{}
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(into); err != nil {
		return resp.StatusCode, date, fmt.Errorf("status %d, no JSON: %w", resp.StatusCode, err)
	}
	return resp.StatusCode, date, nil
}
