package httpapi

import (
	"encoding/base64"
	"strings"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/digest"
)

// condition is what If-Match and If-None-Match ask of the workflow that is stored (RFC 9110, section
// 13.1), to be judged by the write itself. Only a list of tags in If-None-Match, which no client of
// this kind sends, is judged here, by the view.
func condition(c echo.Context, parts *Parts, workflowID string) (store.Condition, error) {
	h := c.Request().Header
	match, noneMatch := tagsOf(h, "If-Match"), tagsOf(h, "If-None-Match")
	cond := store.Condition{Exists: match.any, Absent: noneMatch.any}
	if match.given && !match.any {
		cond.Contents = match.contents()
	}
	entry, ok := parts.Workflows.Get(workflowID)
	if ok && subjectOf(c).Sees(entry.Value.Groups()) && !noneMatch.any && noneMatch.weakly(contentTag(entry.Value.Raw)) {
		return cond, store.ErrPrecondition
	}
	return cond, nil
}

// contents are those that the list's tags name; never nil. Weak tags and others match nothing.
func (l tagList) contents() []digest.Digest {
	contents := []digest.Digest{}
	for _, tag := range l.tags {
		sum, err := base64.RawURLEncoding.Strict().DecodeString(strings.Trim(tag, `"`))
		if err == nil && len(sum) == len(digest.Digest{}) && !strings.HasPrefix(tag, "W/") {
			contents = append(contents, digest.Digest(sum))
		}
	}
	return contents
}
