// Package sqlitestore keeps the storage port in a folder of one machine: no services, and nothing
// that was acknowledged is lost when the process is killed or the power goes.
package sqlitestore
