package httpapi

import (
	_ "embed"
	"net/http"

	"github.com/labstack/echo/v4"
)

// openAPI is the description of all routes, kept by hand; tests hold real answers against it.
//
//go:embed openapi.json
var openAPI []byte

func getOpenAPI(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return c.JSONBlob(http.StatusOK, openAPI)
}
