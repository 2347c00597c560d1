package httpapi

import (
	_ "embed"
	"html/template"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/reference"
	"oc-scheduler/httpapi/ui"
)

// openAPI describes all routes, and asyncAPI what is told over time, by streams and on the bus. They are kept by hand;
// tests hold real answers, frames and messages against them.
var (
	//go:embed openapi.json
	openAPI []byte
	//go:embed asyncapi.json
	asyncAPI []byte
)

// manual is what a page shows of both.
var manual = sync.OnceValue(func() template.HTML {
	m, err := reference.Read(openAPI, asyncAPI)
	if err != nil {
		panic(err) // they are built in
	}
	page, err := ui.Manual(m)
	if err != nil {
		panic(err) // so is the template
	}
	return page
})

// described answers with a description.
func described(document []byte) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
		return c.JSONBlob(http.StatusOK, document)
	}
}
