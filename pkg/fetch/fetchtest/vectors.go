// Package fetchtest has the addresses that no stranger's page may reach, for the tests of what fetches pages.
package fetchtest

import (
	"fmt"
	"net/netip"
	"strings"
)

// Denied are addresses that no stranger's URL may reach, by the reason for the refusal.
var Denied = map[string][]string{
	"this network": {"0.0.0.0", "0.1.2.3"},
	"loopback":     {"127.0.0.1", "127.0.0.2", "127.255.255.254", "::1"},
	"unspecified":  {"::"},
	"private": {"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1",
		"192.168.255.255"},
	"carrier grade NAT":     {"100.64.0.1", "100.127.255.255"},
	"link local":            {"169.254.0.1", "169.254.169.254", "fe80::1", "febf::1"},
	"metadata":              {"168.63.129.16", "169.254.170.2", "fd00:ec2::254"},
	"protocol assignments":  {"192.0.0.8", "192.0.0.170", "2001:1::1"},
	"documentation":         {"192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"},
	"benchmarking":          {"198.18.0.1", "198.19.255.255", "2001:2::1"},
	"anycast and AS112":     {"192.88.99.1", "192.31.196.1", "192.52.193.1", "192.175.48.1", "2620:4f:8000::1"},
	"multicast":             {"224.0.0.1", "239.255.255.255", "ff02::1"},
	"reserved":              {"240.0.0.1", "255.255.255.255"},
	"unique local":          {"fc00::1", "fdff::1"},
	"site local":            {"fec0::1"},
	"IPv4 mapped":           {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8"},
	"IPv4 compatible":       {"::127.0.0.1"},
	"NAT64":                 {"64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1"},
	"6to4":                  {"2002:7f00:1::1", "2002:a00:1::1"},
	"Teredo":                {"2001:0:7f00:1::1"},
	"segment routing":       {"5f00::1"},
	"discard":               {"100::1"},
	"ORCHID and its second": {"2001:10::1", "2001:20::1"},
}

// RefusedPages returns addresses that no stranger may lead to: each denied IP address as it is and in the spellings
// that browsers read as the same address, names that resolve to one, other ports, and userinfo.
func RefusedPages() (pages []string) {
	for _, addresses := range Denied {
		for _, address := range addresses {
			pages = append(pages, "http://"+host(address)+"/x")
			if ip := netip.MustParseAddr(address); ip.Is4() {
				b := ip.As4()
				n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
				pages = append(pages, fmt.Sprintf("http://%d/x", n), fmt.Sprintf("//0x%08x/x", n),
					fmt.Sprintf(`\\%#o.%#o.%d\x`, b[0], b[1], uint32(b[2])<<8|uint32(b[3])),
					fmt.Sprintf("https://[::ffff:%x:%x]/x", n>>16, n&0xffff))
			}
		}
	}
	return append(pages, "http://0x7f.1/", "http://127.1/", "http://0/", "http://%31%32%37.0.0.1/", "http://１２７.0.0.1/",
		"http://127。0。0。1/", "http://①27.0.0.1/", "h\tttp://10.0.0.1/", "http:///10.0.0.1/", "http:\\\\10.0.0.1/",
		"//u:hunter2@10.0.0.1/", "http://1.1.1.1:22/", "http://site.example:8080/", "http://127.0.0.1:1/",
		"http://localhost/", "http://LOCALHOST./", "http://inside.example/", "https://metadata.example/",
		"http://u@inside.example/", "http://mixed.example/")
}

// host returns an address as a URL writes it.
func host(address string) string {
	if strings.Contains(address, ":") {
		return "[" + address + "]"
	}
	return address
}
