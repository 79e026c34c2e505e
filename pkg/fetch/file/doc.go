// Package file reads files of this machine, Azure blobs, and files in Azure Files shares: their properties,
// and their bytes only when these have changed. It does for files what package fetch does for pages.
//
// A [Place] is what a user named, reduced to one identity (A3): [Parse] makes it, [Place.Normalized] is
// stored, and whatever query it came with, a SAS above all, is gone. [Client.Get] asks for properties
// first: while the ETag is the one that is known (modification time and length where there is no ETag)
// no byte is read (A9). What is read is what the properties belong to; a file that changes while it is
// read is read again, and is Conflict when it does not come to rest. A file longer than is wanted is
// hashed as it streams by, in the same few kilobytes however long it is.
//
// Users choose places, so a place reaches only what the operator has opened:
//
//   - Files of this machine lie under FILE_ROOT. The kernel resolves each step inside it (os.Root), so no
//     symbolic link leads out, not even one that changes at the wrong moment; absolute links are refused
//     wherever they lead. Folders, devices and pipes are refused.
//   - Storage services are asked through a transport that checks addresses at dial (fetch.Client.Transport). A
//     service behind a private endpoint or an Azurite has to be in CRAWL_ALLOW_HOSTS.
//   - A credential is named, never given, and is shown only to the place that its setting names: see
//     package credential. Nothing is open by default, the app's own account included: it holds function keys.
//
// Errors carry kinds of package fault: Invalid for a place that can never work; Blocked for what a rule
// forbids, a missing credential included; NotFound; Conflict; Throttled; Unavailable. Messages hold neither
// secrets nor addresses with one.
//
// # What was tested against what
//
// Blobs were tested with Azurite. No emulator has shares: that part was tested with a server written from
// the documented contract of Get File Properties and Get File (REST API of Azure Files, versions up to
// 2026-02-06), not with the service itself.
//
// # Alternatives considered
//
// For blobs, properties and then a download with If-Match would be two requests. A download with
// If-None-Match is one: it is answered by 304 or by bytes with their own properties. Azure Files knows no
// conditions, so there properties are asked before and after the bytes.
package file
