"use strict";
// Keeps pages up to date, and shows answers while a person types. Every page also works without this script.

// Times are in the reader's zone, with the zone in the title. Without this script they are in UTC.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const stamps = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, stamp = new RegExp(`^${stamps.source}$`);
const shown = (at) => at.toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "medium" });
const brief = (at) => at.toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const dated = (at) => at.toLocaleString("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit",
  minute: "2-digit" }).replace(",", "");
const local = (text) => text.replace(stamps, (s) => shown(new Date(s.replace(" ", "T"))));
function inZone(root) {
  if (zone === "UTC") return root;
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.valueOf())) continue;
    if ("when" in time.dataset) time.textContent = dated(at);
    if ("short" in time.dataset) time.textContent = brief(at);
    if ("clock" in time.dataset) time.textContent = shown(at).slice(11, 16);
    time.title = `${shown(at)} ${zone}`;
  }
  for (const part of root.querySelectorAll("[title]")) if (stamp.test(part.title)) part.title = `${local(part.title)} ${zone}`;
  for (const choice of root.querySelectorAll("option[data-at]")) choice.textContent = local(choice.textContent);
  for (const part of root.querySelectorAll("svg.plot title")) part.textContent = local(part.textContent);
  for (const part of root.querySelectorAll("svg.plot[aria-label], svg.plot [aria-label]")) {
    part.setAttribute("aria-label", local(part.getAttribute("aria-label")));
  }
  return root;
}
inZone(document);
// The server groups changes by the reader's days.
const home = new URL("..", document.currentScript.src).pathname.slice(0, -1);
document.cookie = `tidemark_zone=${encodeURIComponent(zone)}; path=${home}; max-age=31536000; samesite=lax`;
for (const field of document.querySelectorAll("form[data-zone] [name$=imezone]")) field.defaultValue ||= zone;

// fetchPage fetches a page. It returns null if the server redirects to another page, such as the sign-in page.
async function fetchPage(url, signal) {
  const res = await fetch(url, { signal, credentials: "same-origin" });
  if (!res.ok || res.redirected) return null;
  return inZone(new DOMParser().parseFromString(await res.text(), "text/html"));
}

const fetchPart = async (url, id, signal) => (await fetchPage(url, signal))?.getElementById(id);

// changed reports whether a person has chosen or written something in a part or, if the part shows what follows from a
// form, in that form.
const changed = (part) => [...(part.dataset.of ? part.closest(part.dataset.of) : part).querySelectorAll("input, textarea, select")]
  .some((e) => e.options ? e.selectedIndex !== Math.max(0, [...e.options].findIndex((o) => o.defaultSelected)) :
    e.checked !== e.defaultChecked || e.value !== e.defaultValue);

// busy reports whether a person is working in a part, which must not change in the meantime.
function busy(part) {
  const at = document.activeElement;
  const selected = document.getSelection();
  return changed(part) || (part.contains(at) && at !== part) || part.querySelector("details[open]") ||
    (selected && !selected.isCollapsed && part.contains(selected.anchorNode));
}

const short = (part) => part.querySelector("[data-say]")?.textContent.trim() ?? "";

// renew replaces the content of a part. Screen readers announce only the part's summary, and only when it has
// changed.
function renew(part, fresh) {
  const before = short(part);
  part.replaceChildren(...fresh.childNodes);
  const now = short(part);
  if (now !== before) document.getElementById("said").textContent = now;
}

// Parts that state their lifetime in seconds are renewed together, with one request for the page. While nothing
// changes, the pause between requests grows up to slowest times the least one. A page in the background sends no
// requests, because each one costs the server storage requests: on the machine page, some for every host.
const slowest = 6;
const parts = [...document.querySelectorAll("[data-live]")];
if (parts.length > 0) {
  const least = 1000 * Math.min(...parts.map((part) => Number(part.dataset.live)));
  let wait = least, timer;
  const look = async () => {
    wait = Math.min(2 * wait, slowest * least);
    try {
      const page = parts.every(busy) ? null : await fetchPage(location.href);
      for (const part of parts) {
        const fresh = page?.getElementById(part.id);
        if (fresh && !busy(part) && fresh.innerHTML !== part.innerHTML) { renew(part, fresh); wait = least; }
      }
    } catch { /* the server cannot be reached: the old content stays, with its time */ }
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(look, wait); // only now: requests to a slow server must not pile up
  };
  timer = setTimeout(look, wait);
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(look, wait = least);
  });
}

for (const form of document.querySelectorAll("form[data-typed]")) {
  let timer, running;
  const show = async () => {
    running?.abort();
    running = new AbortController();
    const url = new URL(form.action);
    for (const [name, value] of new FormData(form)) value === "" ? url.searchParams.delete(name) : url.searchParams.set(name, value);
    try {
      const page = await fetchPage(url, running.signal);
      const fresh = page?.getElementById(form.dataset.typed);
      if (!fresh) return;
      renew(document.getElementById(form.dataset.typed), fresh);
      for (const list of form.querySelectorAll("datalist")) list.replaceChildren(...page.getElementById(list.id).childNodes);
      history.replaceState(null, "", url);
    } catch { /* aborted by the next key, or the server cannot be reached */ }
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(show, 200); });
}

// Previews the effect of a form while a person changes it. The form may come later: a part that is pressed brings one.
let previewing, previews;
const preview = async (form, part) => {
  previews?.abort();
  previews = new AbortController();
  const said = new URLSearchParams(new FormData(form));
  said.set("do", "preview");
  try {
    const res = await fetch(form.action, { method: "POST", body: said, signal: previews.signal, credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await res.text(), "text/html");
    const wrong = page.querySelector("[role=alert]");
    const fresh = page.getElementById(part.id);
    if (wrong) part.replaceChildren(wrong);
    else if (fresh) renew(part, fresh);
  } catch { /* aborted by the next key, or the server cannot be reached */ }
};
document.addEventListener("input", (e) => {
  const previewed = e.target.closest("[data-preview]");
  if (!previewed) return;
  clearTimeout(previewing);
  previewing = setTimeout(() => preview(e.target.form, document.getElementById(previewed.dataset.preview)), 400);
});

// Choosing a part: what is pressed is shown beside the page, which stays where it is.
const press = document.getElementById("press");
if (press) {
  let running;
  const show = async (said) => {
    running?.abort();
    running = new AbortController();
    const url = new URL(press.action);
    for (const name of ["capture", "element", "selector", "larger", "scope", "find", "to"]) {
      if (said.get(name)) url.searchParams.set(name, said.get(name));
    }
    try {
      const page = await fetchPage(url, running.signal);
      const bits = press.querySelectorAll(".bit, tr"), fresh = page?.querySelectorAll("#press .bit, #press tr");
      if (fresh?.length !== bits.length) { location.assign(url); return; }
      bits.forEach((bit, i) => {
        for (const name of ["class", "aria-pressed", "id"]) {
          const value = fresh[i].getAttribute(name);
          if (value === null) bit.removeAttribute(name); else bit.setAttribute(name, value);
        }
      });
      document.querySelector(".cols > aside").replaceWith(page.querySelector(".cols > aside"));
      document.body.className = page.body.className;
      document.getElementById("said").textContent = document.getElementById("chosen").textContent;
      history.replaceState(null, "", url);
      document.getElementById("at")?.scrollIntoView({ block: "nearest" });
    } catch { /* aborted by the next press, or the server cannot be reached */ }
  };
  press.addEventListener("submit", (e) => { e.preventDefault(); show(new FormData(press, e.submitter)); });
  document.addEventListener("change", async (e) => {
    if (e.target.name !== "scope") return;
    await show(new FormData(e.target.form));
    document.querySelector("aside [name=scope]:checked")?.focus();
  });
}

// The form of a channel: what a person has typed is checked, and a test is sent, while the page stays. So a secret need
// not be typed again.
for (const form of document.querySelectorAll("form[data-check]")) {
  let timer, running;
  const touched = new Set();
  const part = (id) => document.getElementById(id);
  const ask = async (said, all) => {
    running?.abort();
    running = new AbortController();
    const res = await fetch(form.action, { method: "POST", body: said, signal: running.signal, credentials: "same-origin" });
    if (res.redirected) { location.assign(res.url); return; }
    const page = new DOMParser().parseFromString(await res.text(), "text/html");
    const fresh = page.querySelector("form[data-check]");
    if (!fresh) {
      const alerts = page.querySelectorAll("[role=alert]");
      if (all && alerts.length) part("checked").replaceChildren(...alerts);
      else if (all) part("answer").textContent = "Sign in again in another tab, then press Save."; // the session has ended
      return;
    }
    for (const note of form.querySelectorAll("[data-note]")) {
      const name = note.dataset.note;
      if (!all && !touched.has(name)) continue;
      const wrong = fresh.querySelector(`[data-note="${name}"] .bad`);
      note.replaceChildren(...(wrong ? [wrong] : []));
      form.elements[name].toggleAttribute("aria-invalid", !!wrong);
      if (wrong) form.elements[name].setAttribute("aria-invalid", "true");
    }
    const checked = page.getElementById("checked");
    if (!all) checked.querySelector("[role=alert]")?.remove(); // it would name fields that nobody has filled in yet
    renew(part("checked"), checked);
    if (all) renew(part("answer"), page.getElementById("answer"));
  };
  const check = () => {
    const said = new URLSearchParams(new FormData(form));
    said.set("do", "check");
    ask(said, false).catch(() => {}); // aborted by the next key, or the server cannot be reached
  };
  const [encryption, port] = [form.elements["fields.encryption"], form.elements["fields.port"]];
  const choices = [...(encryption?.options ?? [])].filter((o) => o.dataset.port);
  form.addEventListener("input", (e) => {
    touched.add(e.target.name);
    part("answer").replaceChildren(); // it was about other values
    if (port && e.target === encryption && choices.some((o) => o.dataset.port === port.value)) {
      port.value = encryption.selectedOptions[0].dataset.port;
    }
    const fits = choices.find((o) => o.dataset.port === port?.value && o.value !== "none");
    if (e.target === port && fits) encryption.value = fits.value;
    if (port && choices.length) port.placeholder = encryption.selectedOptions[0].dataset.port;
    clearTimeout(timer);
    timer = setTimeout(check, 400);
  });
  form.addEventListener("submit", async (e) => {
    if (!e.submitter?.hasAttribute("data-here")) return;
    e.preventDefault();
    clearTimeout(timer);
    const locked = [...form.querySelectorAll("button, fieldset")]; // the answer must be about what is shown
    const said = new URLSearchParams(new FormData(form, e.submitter));
    for (const l of locked) l.disabled = true;
    try { await ask(said, true); } catch (err) {
      if (err.name !== "AbortError") part("answer").textContent = "Tidemark does not answer. Nothing is saved.";
    }
    for (const l of locked) l.disabled = false;
  });
}

// Once a page is chosen, the bar for what is done with the chosen ones stays in view. All on the page are ticked together.
document.addEventListener("change", (e) => {
  const bulk = document.getElementById("bulk"), boxes = [...document.querySelectorAll(".pages [name=id]")];
  if (!bulk) return;
  if (e.target.name === "of") for (const b of boxes) b.checked = e.target.value === "page";
  bulk.classList.toggle("chosen", boxes.some((b) => b.checked));
});

// A part that names the address of its remaining content loads that content when it is opened. Without this script,
// the part has a link.
document.addEventListener("toggle", async (e) => {
  const from = e.target.dataset?.load;
  if (!from || !e.target.open || e.target.dataset.loaded) return;
  e.target.dataset.loaded = "1";
  try {
    const page = await fetchPart(from, "main");
    const found = page?.querySelector(".diff, .empty");
    if (found) e.target.querySelector(".diff").replaceChildren(found); else delete e.target.dataset.loaded;
  } catch { delete e.target.dataset.loaded; } // the server cannot be reached: the link remains
}, true);

// step moves the focus to the next change, or to the previous one.
function step(by) {
  const all = [...document.querySelectorAll("[data-change]")];
  const at = all.indexOf(document.activeElement?.closest("[data-change]"));
  const to = all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)];
  to?.querySelector("summary").focus();
  to?.scrollIntoView({ block: "nearest" });
}

const here = () => document.activeElement?.closest("[data-change]");
const keys = {
  "/": () => document.querySelector("input[type=search]")?.focus(), // as on many sites
  j: () => step(1),
  k: () => step(-1),
  o: () => here()?.toggleAttribute("open"),
  u: () => here()?.querySelector("[data-read]")?.click(),
  "?": () => {
    const list = document.querySelector("details[data-keys]");
    if (list?.toggleAttribute("open")) list.scrollIntoView();
  },
};
document.addEventListener("keydown", (e) => {
  if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
  e.preventDefault();
  keys[e.key]();
});
