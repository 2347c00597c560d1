package ui

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

//go:embed templates/*.html static/*
var files embed.FS

// asset is a file as it is served, under a name that its content decides.
type asset struct {
	kind string
	data []byte
}

// assets are the static files by the name they are served under; addresses gives that name by file.
var assets, addresses = func() (map[string]asset, map[string]string) {
	byName, byFile := map[string]asset{}, map[string]string{}
	entries := must(fs.ReadDir(files, "static"))
	for _, e := range entries {
		data := must(files.ReadFile("static/" + e.Name()))
		sum := sha256.Sum256(data)
		ext := path.Ext(e.Name())
		name := strings.TrimSuffix(e.Name(), ext) + "." + hex.EncodeToString(sum[:6]) + ext
		byName[name] = asset{mime.TypeByExtension(ext), data}
		byFile[e.Name()] = "/ui/static/" + name
	}
	return byName, byFile
}()

// static serves a file for ever: another content has another name. It is there before there is anything to show.
func static(c echo.Context) error {
	guard(c)
	a, ok := assets[c.Param("name")]
	if !ok {
		return echo.ErrNotFound
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=31536000, immutable")
	return c.Blob(http.StatusOK, a.kind, a.data)
}

// templates are the pages by file name, each with what all share.
var templates = func() map[string]*template.Template {
	base := template.Must(template.New("base.html").Funcs(template.FuncMap{
		"asset": func(file string) string { return addresses[file] }, "visible": visible, "stamp": stamp, "iso": iso, "address": address, "titled": newTitled,
	}).ParseFS(files, "templates/base.html", "templates/timeline.html"))
	all := map[string]*template.Template{}
	for _, e := range must(fs.ReadDir(files, "templates")) {
		if e.Name() != "base.html" && e.Name() != "timeline.html" {
			all[e.Name()] = template.Must(template.Must(base.Clone()).ParseFS(files, "templates/"+e.Name()))
		}
	}
	return all
}()

// titled is something that a template is given with a title.
type titled struct {
	Title string
	Of    any
}

func newTitled(title string, of any) titled { return titled{title, of} }

// stamp is a time for people, in UTC until the browser writes it in its own zone.
func stamp(t time.Time) string { return t.UTC().Format("Mon 2 Jan 2006, 15:04:05 UTC") }

// iso is a time for programs.
func iso(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// must is for what is built in.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
