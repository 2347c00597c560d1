package httpapi

import (
	_ "embed"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/reference"
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
var manual = sync.OnceValue(func() *reference.Manual {
	m, err := reference.Read(openAPI, asyncAPI)
	if err != nil {
		panic(err) // they are built in
	}
	return m
})

// described answers with a description.
func described(document []byte) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
		return c.JSONBlob(http.StatusOK, document)
	}
}
