package render

// shields removes the ways out that no proxy holds, in case that the browser was started without the flag for it. It
// also ends a loop of dialogs, of which the browser ends none.
const shields = `{
 let dialogs = 0;
 for (const name of ["alert", "confirm", "prompt"]) {
  const open = globalThis[name];
  globalThis[name] = function(...text) { if (dialogs++ < 25) return open?.apply(this, text); };
 }
}
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "RTCDataChannel",
 "WebSocketStream", "TCPSocket", "UDPSocket"]) {
 try { Object.defineProperty(globalThis, name, {value: undefined, writable: false, configurable: false}) } catch {}
}`

// looking counts what there is, in open shadow roots as well.
const looking = `((selector) => {
 let elements = 0, letters = 0;
 const walk = (root) => {
  letters += (root.body || root).textContent?.length || 0;
  for (const e of root.querySelectorAll("*")) { if (++elements > 100000) return; if (e.shadowRoot) walk(e.shadowRoot); }
 };
 walk(document);
 let found = selector === "";
 try { found = found || document.querySelector(selector) !== null } catch {}
 return {ready: document.readyState, elements, letters, found,
  height: (document.scrollingElement || document.documentElement)?.scrollHeight || 0};
})(%s)`

// scrolled has what the scripts of scrolling share: what can be scrolled, which is the document and the largest parts
// that scroll by themselves, in open shadow roots as well; and the texts of the page.
const scrolled = `const page = document.scrollingElement || document.documentElement;
 const walk = (root, each) => {
  let n = 0;
  const go = (root) => {
   for (const e of root.querySelectorAll("*")) {
    if (++n > 100000) return;
    each(e);
    if (e.shadowRoot) go(e.shadowRoot);
   }
  };
  go(root);
 };
 const scrollers = () => {
  const found = [];
  walk(document, (e) => {
   if (e === page || e.clientHeight < 100 || e.scrollHeight < e.clientHeight + 50) return;
   if (["auto", "scroll"].includes(getComputedStyle(e).overflowY)) found.push(e);
  });
  found.sort((a, b) => b.clientHeight * b.clientWidth - a.clientHeight * a.clientWidth);
  return [page, ...found.slice(0, 4)];
 };
 const texts = (most) => {
  const found = new Set();
  const take = (e) => {
   for (const c of e.childNodes) {
    const text = c.nodeType === 3 && found.size < most ? c.data.trim() : "";
    if (text.length > 3) found.add(text.slice(0, 100));
   }
  };
  walk(document, take);
  return found;
 };
 const to = (e, y) => e.scrollTo({top: y, behavior: "instant"});
 const wait = (ms) => new Promise(done => setTimeout(done, ms));`

// beginning returns texts with which the page begins.
const beginning = `(() => { ` + scrolled + ` return page ? [...texts(300)] : [] })()`

// scrolling goes to the end of the page, and of its parts that scroll by themselves, in steps of what is seen at once,
// so that everything that loads when it becomes visible does so.
const scrolling = `(async () => { ` + scrolled + `
 if (!page) return false;
 let steps = 80;
 for (const e of scrollers()) {
  const step = e === page ? innerHeight || 1000 : e.clientHeight;
  for (let y = 0, n = 0; y < e.scrollHeight && n < 40 && steps > 0; y += step, n++, steps--) {
   to(e, y);
   await wait(30);
  }
  to(e, e.scrollHeight);
 }
 await wait(100);
 return true;
})()`

// returning goes back to where the page begins, and counts the given texts that were gone at its end and are there
// again: such a page has only what is visible.
const returning = `(async (before) => { ` + scrolled + `
 const moved = page ? scrollers().filter(e => e.scrollTop > 0) : [];
 if (!moved.length) return 0;
 let now = texts(100000);
 const gone = before.filter(text => !now.has(text));
 for (const e of moved) to(e, 0);
 await wait(100);
 now = texts(100000);
 return gone.filter(text => now.has(text)).length;
})(%s)`
