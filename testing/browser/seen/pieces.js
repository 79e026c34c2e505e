// Returns [[element, text], …] of the visible texts of the page, without those that the aims leave out.
(() => {
  const sectioning = 'article, aside, main, nav, section, [role=main], [role=article]';
  const ofSite = (e) => !(e.parentElement && e.parentElement.closest(sectioning));
  const gone = new Set(document.querySelectorAll('nav, [role=navigation], [role=banner], [role=contentinfo], ' +
    'select, input, textarea, svg, option, datalist, script, style, template, iframe, canvas, video, audio'));
  for (const e of document.querySelectorAll('header, footer')) {
    if (ofSite(e)) gone.add(e);
  }
  const consent = /cookie|consent|gdpr|onetrust|cc-window/i;
  for (const e of document.querySelectorAll('dialog, [role=dialog], [role=alertdialog], [class], [id]')) {
    const isDialog = e.matches('dialog, [role=dialog], [role=alertdialog]');
    if (!isDialog && !consent.test(e.id + ' ' + (e.getAttribute('class') || ''))) continue;
    const text = e.textContent;
    if (e !== document.body && text.length < 6000 && /cookie/i.test(text)) gone.add(e);
  }
  const here = location.href.split('#')[0];
  const toPage = (a) => /^(https?|file):/.test(a.href) && a.href.split('#')[0] !== here;
  const size = (s) => s.replace(/\s+/g, '').length;
  const blocks = 'div, section, ul, ol, dl, table, p, aside, td, li, center, fieldset, form, menu, tr, tbody';
  for (const e of document.querySelectorAll(blocks)) {
    if (e === document.body || [...gone].some((g) => g.contains(e))) continue;
    const links = [...e.querySelectorAll('a[href]')].filter(toPage);
    if (links.length < 3) continue;
    const all = size(e.innerText), linked = links.reduce((n, a) => n + size(a.innerText), 0);
    if (linked >= 0.9 * all) gone.add(e);
  }
  const inline = /^(A|ABBR|B|BDI|BDO|CITE|CODE|DATA|DEL|DFN|EM|FONT|I|INS|KBD|MARK|Q|S|SAMP|SMALL|SPAN|STRONG|SUB|SUP|TIME|U|VAR)$/;
  const name = (e) => {
    const of = (x) => x.tagName.toLowerCase() + (x.id ? '#' + x.id : '') +
      [...x.classList].slice(0, 2).map((c) => '.' + c).join('');
    const up = e.parentElement;
    return (up ? of(up) + ' > ' : '') + of(e);
  };
  const out = [];
  let last = null;
  const walk = (node) => {
    for (const c of node.childNodes) {
      if (c.nodeType === Node.TEXT_NODE) {
        if (!c.data.trim()) continue;
        let block = c.parentElement;
        while (inline.test(block.tagName) && block.parentElement) block = block.parentElement;
        if (last === block && out.length) out[out.length - 1][1] += ' ' + c.data.trim();
        else out.push([name(block), c.data.trim()]);
        last = block;
      } else if (c.nodeType === Node.ELEMENT_NODE && !gone.has(c) && c.checkVisibility({visibilityProperty: true})) {
        walk(c.shadowRoot || c);
      }
    }
  };
  if (document.body) walk(document.body);
  return out;
})()
