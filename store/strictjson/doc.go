// Package strictjson reads JSON that must not be understood in two ways, such as what is to be run: exact
// names of members, each once, text that is Unicode. All that is wrong is found at once, each fault with its
// place. It is pure.
package strictjson
