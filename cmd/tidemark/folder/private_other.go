//go:build !unix

package folder

func makePrivate() {}
