package httpapi

import "github.com/labstack/echo/v4"

// headerETag is spelt as http.Header keeps it. Headers that most answers bear are put there under such
// names directly, which spares a look at the spelling.
const headerETag = "Etag"

// Values that never change: their lists are shared by all answers, and must not be changed.
var (
	nosniff     = []string{"nosniff"}
	noStore     = []string{"no-store"}
	asJSON      = []string{echo.MIMEApplicationJSON}
	staysSecure = []string{"max-age=31536000"} // a year, of this host alone
)
