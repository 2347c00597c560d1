package ui

import (
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/plan"
)

const (
	// keyField is the field of a form that names one rendering of it and, behind a dot, what was checked by then.
	keyField = "idempotency_key"
	// changedField says of an address that it was come to by a form that said something else than what was checked.
	changedField = "changed"

	maxKey = 128
)

// form is what a page sends.
type form struct {
	url.Values // its fields, but for the two above
	Key        string
	Changed    bool
	claim      *plan.Claim // nil: it is done each time
}

// formOf reads what was sent, in whichever way.
func formOf(c echo.Context) (form, error) {
	fields, err := c.FormParams()
	if err != nil {
		return form{}, echo.NewHTTPError(http.StatusBadRequest, "the form can't be read")
	}
	f := form{Values: maps.Clone(fields), Key: fields.Get(keyField), Changed: fields.Has(changedField)}
	f.Del(keyField)
	f.Del(changedField)
	if len(f.Key) > maxKey {
		return f, fault.List{{Path: keyField, Message: "must have 128 bytes at most"}}
	}
	return f, nil
}

// checked is the Mark of what was checked when the form was rendered; empty: the form does not say.
func (f form) checked() string {
	_, mark, _ := strings.Cut(f.Key, ".")
	return mark
}
