package httpapi

import (
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
)

// condition is what If-Match and If-None-Match ask of the workflow that is stored (RFC 9110, section
// 13.1), to be judged by the write itself. Only a list of tags in If-None-Match, which no client of
// this kind sends, is judged here, by the view.
func condition(c echo.Context, parts *Parts, workflowID string) (store.Condition, error) {
	h := c.Request().Header
	match, noneMatch := tagsOf(h, "If-Match"), tagsOf(h, "If-None-Match")
	cond := store.Condition{Exists: match.any, Absent: noneMatch.any}
	if match.given && !match.any {
		cond.Revisions = match.revisions()
	}
	entry, ok := parts.Workflows.Get(workflowID)
	if ok && subjectOf(c).Sees(entry.Value.Groups()) && !noneMatch.any && noneMatch.weakly(revisionTag(entry.Revision)) {
		return cond, store.ErrPrecondition
	}
	return cond, nil
}

// revisions are those that the list's tags name; never nil. Weak tags and others match nothing.
func (l tagList) revisions() []uint64 {
	revisions := []uint64{}
	for _, tag := range l.tags {
		if revision, err := strconv.ParseUint(strings.Trim(tag, `"`), 10, 64); err == nil && revisionTag(revision) == tag {
			revisions = append(revisions, revision)
		}
	}
	return revisions
}
