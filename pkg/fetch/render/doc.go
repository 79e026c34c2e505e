// Package render reads pages that have their content by scripts only, in a browser that cannot reach anything by
// itself: package fetch answers each of its requests.
//
// A [Renderer] drives a Chromium that it starts when it is needed, by a pipe, or one that runs elsewhere and speaks
// the DevTools protocol. [Renderer.Render] opens one [Page] in a browser context of its own, waits until its content is
// there, and returns the document as HTML, with the content of frames and of shadow roots, open or closed, in its
// place. Nothing of a page is left for the next one.
//
// # Whether the page or the browser failed
//
// A [*BrowserError] means that no browser could be started or reached, or that it ended or hung twice; it says nothing
// about the page, which should be tried again later. A [*PageError] means that the page failed in a browser that works.
// A page that met a bound is no error as long as it could be read: [Rendered].Met names the bounds. [Renderer.Ping]
// asks the browser which one it is.
//
// # What a page may request
//
// The plain response stands in for the browser's first request. Every other request is judged here and then sent by
// package fetch, with its guard, its bounds, and the User-Agent of the crawler:
//
//   - GET, HEAD, and POST with a body of at most MaxPostBytes to the page's own site (the registrable domain) or to
//     hosts that the page names. Other methods, beacons, streams, films and sound are refused.
//   - The gate of the page is asked first: robots.txt holds for each request. Redirects are requests of their own.
//   - Hosts that are exempt from the guard (CRAWL_ALLOW_HOSTS) are exempt only if the page's own host is one of them.
//   - Credentials go to the origin of the item only, for frames and scripts of that origin. The browser never has them.
//   - At most RequestsAtOne at once, and to a host with limits of its own no more than these.
//   - What answers may be used again, a small cache answers. A body is the same bytes as the site sent, decoded.
//
// What was refused is counted by its [Reason].
//
// # Two walls
//
// Requests are intercepted (Fetch.enable) on each target before it runs: pages, frames, shared and service workers;
// those of dedicated workers are seen by their page. A target whose interception fails ends the render. What Chromium
// does not intercept (WebSocket, preconnect, speculation rules, TURN) meets the second wall: the browser context has a
// proxy that refuses every connection, also those to this machine. For a Chromium that is started here the proxy is a
// port of this process, which counts the connections; for another one it is port 9 of its own machine, where nothing
// answers. A flag closes the UDP of WebRTC, which no proxy holds; elsewhere RTCPeerConnection and WebTransport are
// removed from each document before its scripts run. That is weaker, so a browser elsewhere should have a network
// policy as well.
//
// While a page is closed, all its requests are refused.
//
// # Bounds
//
// Time, requests, bytes and memory of a page are bounded ([Options]), as are windows, workers, dialogs and downloads.
// Memory is measured for a Chromium that was started here, on Linux. What a page wants above a bound is refused, or its
// scripts are stopped; then the page is read as it is.
//
// A Chromium that was started here is the leader of a process group and ends with its pipe, and so with this process.
// As root it needs to run without its sandbox ([Options].NoSandbox), which only containers should allow
// ([devtools.InContainer]).
//
// # Alternatives considered
//
// docs/decisions.md compares the libraries. DOM.getDocument reads closed shadow roots as well, but fails at about 150
// elements within each other, because Chromium bounds the nesting of its answers; DOMSnapshot.captureSnapshot is flat.
// Letting the browser follow the proxy of a fetcher would need an own certificate authority in the browser, would
// not know which frame asks, and would see neither methods of CORS nor cookies as scripts see them.
package render
