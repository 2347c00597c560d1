package httpapi

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/digest"
)

// etag is a strong entity tag (RFC 9110, section 8.8.3) of a version.
func etag(version string) string { return `"` + version + `"` }

// contentTag is that of a body. A revision would do, but it counts all that is written into a bucket, by whomever.
func contentTag(body []byte) string {
	sum := digest.Of(body)
	return etag(base64.RawURLEncoding.EncodeToString(sum[:]))
}

// tagList is an If-Match or If-None-Match header: "*" or entity tags, all lines of it joined.
type tagList struct {
	given bool
	any   bool
	tags  []string // with their quotes, and W/ where they are weak
}

func tagsOf(h http.Header, name string) tagList {
	lines := h.Values(name)
	list := tagList{given: len(lines) > 0}
	rest := strings.Join(lines, ",")
	if strings.TrimSpace(rest) == "*" {
		list.any = true
		return list
	}
	for rest != "" {
		var tag string
		if tag, rest = nextTag(rest); tag != "" {
			list.tags = append(list.tags, tag)
		}
	}
	return list
}

// nextTag cuts the first entity tag off a list. A comma may stand inside the quotes. What is not
// quoted, as careless clients send it, is taken up to the next comma.
func nextTag(s string) (tag, rest string) {
	s = strings.TrimLeft(s, ", \t")
	weak := ""
	if strings.HasPrefix(s, `W/"`) {
		weak, s = "W/", s[2:]
	}
	if strings.HasPrefix(s, `"`) {
		if end := strings.IndexByte(s[1:], '"'); end >= 0 {
			return weak + s[:end+2], s[end+2:]
		}
		return "", "" // no closing quote: nothing that could match
	}
	tag, rest, _ = strings.Cut(s, ",")
	if tag = strings.TrimSpace(tag); tag == "" || strings.Contains(tag, `"`) {
		return "", rest
	}
	return etag(tag), rest
}

// weakly reports whether the list holds the tag by weak comparison, as If-None-Match asks for.
func (l tagList) weakly(tag string) bool {
	for _, t := range l.tags {
		if strings.TrimPrefix(t, "W/") == tag {
			return true
		}
	}
	return l.any
}

// tagged sets the entity tag of an answer. It returns true, with 304 as the answer, where the client
// has that version already.
func tagged(c echo.Context, tag string) (done bool, err error) {
	h := c.Response().Header()
	h.Set("ETag", tag)
	h.Set(echo.HeaderCacheControl, "no-cache") // may be kept, must be asked for again
	if tagsOf(c.Request().Header, "If-None-Match").weakly(tag) {
		return true, c.NoContent(http.StatusNotModified)
	}
	return false, nil
}
