// Package file reads files of this machine, Azure blobs, and files in Azure Files shares. It reads their properties,
// and reads their bytes only if the properties have changed. It does for these files what package fetch does for
// pages.
//
// A [Location] is a user's path or address reduced to one identity (A3). [Parse] makes it, and [Location.Normalized]
// is stored. Any query, in particular a SAS, is dropped. [Client.Get] requests the properties first. It reads no
// bytes if the ETag is the known one or, if there is no ETag, if modification time and length are the known ones
// (A9). The bytes that it returns always belong to the returned properties. A file that changes during the read is
// read again, and if it keeps changing, the error is Conflict. A file that is longer than the limit is only hashed,
// as a stream, which needs a few kilobytes of memory for any length. Codings of the bytes are removed as those of web
// answers are ([fetch.Unpack]): a declared Content-Encoding, and gzip in a text.
//
// Users choose locations, so a location reaches only what the operator has opened:
//
//   - Files of this machine must be under FILE_ROOT. The kernel resolves each step inside it (os.Root), so no
//     symbolic link leads out, not even one that changes at the wrong moment. Absolute links are refused,
//     whatever their target. Folders, devices and pipes are refused.
//   - Requests to storage services use a transport that checks addresses at dial (fetch.Client.Transport).
//     A service behind a private endpoint, or an Azurite, must be in CRAWL_ALLOW_HOSTS.
//   - A request has the name of a credential and never the credential itself. The secret is sent only to the location
//     in its setting; see package credential. Nothing is open by default, not even the app's own storage account, which
//     contains function keys.
//
// Errors have kinds of package fault: Invalid for a location that can never work; Blocked if a rule forbids the
// access or a credential is missing; NotFound; Conflict; Throttled; Unavailable. Messages contain neither secrets nor
// addresses with secrets.
//
// # Tests
//
// Blobs are tested with Azurite. No emulator has shares, so the code for shares is tested with a server written from
// the documented contract of Get File Properties and Get File (REST API of Azure Files, versions up to 2026-02-06),
// not with the service.
//
// # Alternatives considered
//
// For blobs, reading the properties and then downloading with If-Match would take two requests. A download with
// If-None-Match takes one: its answer is a 304, or the bytes with their own properties. Azure Files has no
// conditional requests, so for shares the properties are read before and after the bytes.
package file
