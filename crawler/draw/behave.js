// What a patient reader does on a page, a step at a time; each step tells how much it did. No
// selector of any site is known here. Nothing is sent, bought, deleted or ended.
(() => {
  if (window.__watershed) return;
  const most = 20000;
  const done = new WeakSet();
  let changed = performance.now();
  new MutationObserver(() => { changed = performance.now(); })
    .observe(document, {childList: true, subtree: true, characterData: true,
      attributeFilter: ['src', 'srcset', 'href', 'hidden', 'class', 'open']});
  // scripts that have worked for long have mostly not done what they worked for; an observer of long
  // tasks is not told of each
  let beat = performance.now();
  const beats = () => {
    const now = performance.now();
    if (now - beat > 150) changed = now;
    beat = now;
    return now;
  };
  let timer = setInterval(beats, 50);

  // every element, within shadow roots, too
  function* all(root) {
    for (const e of root.querySelectorAll('*')) {
      yield e;
      if (e.shadowRoot) yield* all(e.shadowRoot);
    }
  }
  const shown = e => {
    const r = e.getBoundingClientRect();
    if (r.width < 2 || r.height < 2) return false;
    const s = getComputedStyle(e);
    return s.visibility !== 'hidden' && s.display !== 'none' && s.opacity !== '0';
  };
  // the words of an element; those that are shown are found once, as that lays out the page
  const words = new WeakMap();
  const says = e => {
    const key = [e.textContent, e.value, e.getAttribute('aria-label'), e.getAttribute('title')].join('\n');
    let known = words.get(e);
    if (!known || known.key !== key) {
      const text = [e.innerText || e.value, e.getAttribute('aria-label'), e.getAttribute('title')].join(' ');
      known = {key, says: text.replace(/\s+/g, ' ').trim().toLowerCase()};
      words.set(e, known);
    }
    return known.says;
  };
  // words before which a hand is held back, wherever they stand
  const never = new RegExp('log ?(out|off)|sign ?(out|off)|abmelden|ausloggen|d[ée]connexion|cerrar sesi|esci|' +
    'uitloggen|logga ut|delete|remove|l[öo]schen|entfernen|supprimer|eliminar|borrar|elimina|verwijder|' +
    'buy|order|pay|checkout|cart|basket|kaufen|bestellen|bezahlen|warenkorb|acheter|commander|panier|' +
    'comprar|pagar|carrito|acquista|carrello|koop|winkel|vote|like|rate|abstimmen|voter|votar|vota|' +
    'subscribe|unsubscribe|abonn|newsletter|send|submit|senden|absenden|envoyer|enviar|invia|verstuur|' +
    'report|melden|signaler|block|follow|share|teilen|partager|compartir|download|print|drucken|' +
    'удалить|купить|выйти|отправить|削除|購入|ログアウト|送信|删除|购买|退出|提交', 'u');
  const more = new RegExp('^(show|load|view|see|read)? ?(all|more|older|next)( \\S+){0,3}( ?[▾▼…›»]+)?$|' +
    'load more|show more|view more|see more|read more|more results|older posts|' +
    'mehr|weitere|alle anzeigen|voir plus|plus de|afficher plus|charger|ver m[áa]s|mostrar|cargar m|' +
    'carica|mostra|altro|mais|carregar|meer|laad|fler|mer|flere|lis[äa]|poka[żz]|wi[ęe]cej|další|více|' +
    'daha fazla|ещ[ёе]|показать|больше|もっと|続き|さらに|更多|加载|더 ?보기|المزيد|עוד|περισσ', 'u');
  const consent = new RegExp('^(i )?(accept|agree|allow|got it|ok|okay|continue|understood|close|dismiss|' +
    'reject|decline|only necessary|akzeptieren|annehmen|zustimmen|verstanden|einverstanden|ablehnen|' +
    'accepter|j.accepte|refuser|continuer|aceptar|acepto|rechazar|accetta|accetto|rifiuta|aceitar|' +
    'rejeitar|accepteren|akkoord|weigeren|acceptera|godk[äa]nn|aksepter|hyv[äa]ksy|zgadzam|akceptuj|' +
    'souhlas|p[řr]ijmout|kabul|elfogad|принять|соглас|同意|接受|동의|accept all|agree to all)', 'u');
  // what shows a map or a scan at the next scale, and what leads back
  const scales = [
    new RegExp('zoom ?in\\b|zoom avant|vergr[öo]|agrandir|acercar|ampliar|ingrandi|inzoom|zooma in|' +
      'powi[ęe]k|увелич|拡大|放大|확대', 'u'),
    new RegExp('zoom ?out\\b|zoom arri|verklein|r[ée]duire|alejar|reducir|riduci|uitzoom|zooma ut|' +
      'pomniej|уменьш|縮小|缩小|축소', 'u'),
  ];
  // of what changes something on a server, in attributes by which scripts know what a press does
  const deed = /(^|[^a-z])(DEEDS)($|[^a-z])/i;
  const method = /^(data-)?hx-(post|put|patch|delete)$|^data-(turbo-)?(method|confirm)$|^wire:confirm$/;
  const bodes = e => [...e.attributes].some(a => method.test(a.name) ||
    !/^(style|src|d|aria-.*)$/.test(a.name) && deed.test(a.value.replace(/([a-z])([A-Z])/g, '$1-$2')));
  const pressable = e => {
    const n = e.localName;
    if (e.disabled || e.getAttribute('aria-disabled') === 'true') return false;
    if (n === 'button') return !(e.form && (e.type === 'submit' || e.type === 'reset'));
    if (n === 'a') return !e.hasAttribute('href') || /^(#|javascript:)/i.test(e.getAttribute('href'));
    if (n === 'input') return e.type === 'button' && !e.form;
    const role = e.getAttribute('role');
    return role === 'button' || role === 'tab';
  };
  const press = (e, again) => {
    if (done.has(e) && !again) return 0;
    done.add(e);
    if (never.test(says(e)) || bodes(e)) return 0;
    e.click();
    return 1;
  };
  const leaves = /reject|decline|refus|ablehn|necessary|rechaz|rifiut|rejeit|weiger|close/;
  const privacy = /cookie|consent|gdpr|privacy|datenschutz|privacidad|confidentialit|riservatezza/i;
  // what lies on top of the page asks for consent, or to be closed; to agree to something else that is
  // asked there, in words before which a hand is held back, is what they say
  const banner = e => {
    for (let p = e, i = 0; p && i < 8; p = p.parentElement || (p.getRootNode() || {}).host, i++) {
      const s = getComputedStyle(p);
      const named = p.id + ' ' + p.getAttribute('class');
      if (s.position === 'fixed' || s.position === 'sticky' || /dialog$/.test(p.getAttribute('role')) ||
          p.localName === 'dialog' || privacy.test(named) || /banner|notice/i.test(named)) {
        const asked = says(p);
        return leaves.test(says(e)) || privacy.test(named + asked) || !never.test(asked);
      }
    }
    return false;
  };
  const scale = which => {
    for (const e of all(document)) {
      if (pressable(e) && says(e).length < 60 && scales[which].test(says(e)) && shown(e)) return press(e);
    }
    return 0;
  };
  let bottom = 0;
  let before = []; // pieces of text that the page has shown
  const steps = {
    consent() {
      const found = [];
      for (const e of all(document)) {
        if (pressable(e) && consent.test(says(e)) && shown(e) && !bodes(e) && banner(e)) found.push(e);
      }
      // to agree shows more than to refuse: a reader of the archive sees what readers saw
      const yes = found.find(e => !leaves.test(says(e)));
      const e = yes || found[0];
      if (!e) return 0;
      before = []; // the words of a banner are none of the page
      return press(e);
    },
    more() {
      for (const e of all(document)) {
        if (pressable(e) && says(e).length < 60 && more.test(says(e)) && !never.test(says(e)) && shown(e) &&
            !bodes(e)) {
          e.scrollIntoView({block: 'center', behavior: 'instant'});
          return press(e, true);
        }
      }
      return 0;
    },
    open() {
      let n = 0;
      for (const e of all(document)) {
        if (n >= 200) break;
        if (e.localName === 'details' && !e.open && !done.has(e)) {
          done.add(e);
          e.open = true;
          n++;
        } else if (e.getAttribute('aria-expanded') === 'false' && pressable(e) && shown(e)) {
          n += press(e);
        } else if (e.getAttribute('role') === 'tab' && e.getAttribute('aria-selected') === 'false' &&
            pressable(e) && shown(e)) {
          n += press(e);
        }
      }
      return n;
    },
    closer: () => scale(0),
    farther: () => scale(1),
    hover() {
      let n = 0;
      for (const e of all(document)) {
        if (n >= 100) break;
        if (e.hasAttribute('aria-haspopup') && !done.has(e) && shown(e)) {
          done.add(e);
          for (const kind of ['pointerover', 'mouseover', 'mouseenter']) {
            e.dispatchEvent(new MouseEvent(kind, {bubbles: kind !== 'mouseenter'}));
          }
          n++;
        }
      }
      return n;
    },
    scroll() {
      const page = document.scrollingElement || document.documentElement;
      let moved = 0;
      // styles that have it scroll smoothly would have it arrive later
      const by = (e, top) => {
        const before = e.scrollTop;
        e.scrollBy({top, behavior: 'instant'});
        if (e.scrollTop > before) moved = 1;
      };
      by(page, window.innerHeight * 0.8);
      for (const e of all(document)) {
        if (e !== page && e.scrollHeight > e.clientHeight + 50 && e.clientHeight > 100 &&
            /auto|scroll/.test(getComputedStyle(e).overflowY)) by(e, e.clientHeight * 0.8);
      }
      if (page.scrollHeight > bottom) {
        bottom = page.scrollHeight;
        moved = 1;
      }
      return moved;
    },
    top() {
      window.scrollTo({top: 0, behavior: 'instant'});
      return 0;
    },
    play() {
      let n = 0;
      for (const e of all(document)) {
        if ((e.localName === 'video' || e.localName === 'audio') && !done.has(e) && n < 10) {
          done.add(e);
          e.muted = true;
          e.preload = 'auto';
          const p = e.play();
          if (p) p.catch(() => 0);
          e.playbackRate = 8;
          n++;
        }
      }
      return n;
    },
    // whether a film goes on
    playing() {
      let n = 0;
      for (const e of all(document)) {
        if ((e.localName === 'video' || e.localName === 'audio') && !e.paused && !e.ended &&
            isFinite(e.duration)) n++;
      }
      return n;
    },
  };
  // the pieces of text that the page shows, and, where the whole is asked for, behind them those that it
  // showed before and has taken away since
  const text = whole => {
    const out = [];
    let size = 0;
    const add = t => {
      if (!t || size > 1 << 20) return;
      out.push(t);
      size += t.length + 1;
    };
    const walk = n => {
      for (const c of n.childNodes) {
        if (size > 1 << 20) return;
        if (c.nodeType === 3) {
          add(c.data.trim());
        } else if (c.nodeType === 1 && !/^(script|style|noscript|template)$/i.test(c.nodeName)) {
          if (c.shadowRoot) walk(c.shadowRoot);
          walk(c);
        }
      }
    };
    walk(document.body || document.documentElement);
    const shows = size;
    if (whole) {
      const now = new Set(out);
      for (const t of before) if (!now.has(t)) add(t);
      before = out;
    }
    return {text: out.join(' ').replace(/\s+/g, ' '), shows};
  };
  const links = () => {
    const out = new Map();
    for (const e of all(document)) {
      if (out.size > most) break;
      if (e.localName !== 'a' && e.localName !== 'area') continue;
      let href = typeof e.href === 'string' ? e.href : e.href && e.href.baseVal;
      if (!href || out.has(href)) continue;
      try {
        href = new URL(href, document.baseURI).href;
      } catch (_) {
        continue;
      }
      if (/^https?:/.test(href) && href.length < 16384) {
        out.set(href, {url: href, text: (e.textContent || '').replace(/\s+/g, ' ').trim().slice(0, 200),
          rel: (e.getAttribute('rel') || '').slice(0, 200)});
      }
    }
    return [...out.values()];
  };
  // a link to a place of the page that is not there: scripts know what it shows
  const bare = e => {
    const to = /^#([^/!].*)?$/.exec(e.getAttribute('href') || '');
    return to && to[1] !== 'top' && !(to[1] && (document.getElementById(to[1]) ||
      document.getElementsByName(to[1])[0] || document.getElementById(e.hash.slice(1))));
  };
  // elements by which scripts may lead to other places of the host, by their names: the address, or, of
  // those without one, which come last, their words
  let start = '';
  let entry = 0; // of the history, at start
  const index = () => window.navigation?.currentEntry?.index ?? 0;
  const ways = () => {
    const out = new Map();
    const rest = new Map();
    const here = location.href.split('#')[0];
    for (const e of all(document)) {
      if (out.size + rest.size >= 500) break;
      const a = e.localName === 'a' && e.hasAttribute('href') && !bare(e);
      let name = '';
      if (a && typeof e.href === 'string' && e.origin === location.origin && !e.hasAttribute('download') &&
          !/^_(blank|new)$/.test(e.target)) {
        name = e.href.split('#')[0];
        if (name === here || name.length > 2000) name = '';
      } else if (!a && (e.getAttribute('role') === 'link' || e.localName === 'a' ||
          e.matches('[hx-get],[data-hx-get]') ||
          pressable(e) && e.closest('nav,[role=navigation],[role=menubar]'))) {
        name = ' ' + (says(e) || e.getAttribute('href') || '').slice(0, 100);
      }
      const words = says(e); // those of a longer link are of an article, and promise nothing
      const to = a ? out : rest;
      if (name.trim() && !to.has(name) && shown(e) && (a && words.length > 40 || !never.test(words)) &&
          !bodes(e)) to.set(name, e);
    }
    return new Map([...out, ...rest]);
  };
  // the page as it stands, without its scripts: what shadow trees show in their place, rules that
  // scripts have added, canvases as pictures
  const markup = () => {
    let room = 4 << 20;
    const out = [];
    const put = s => {
      room -= s.length;
      if (room > 0) out.push(s);
    };
    const plain = s => s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    const quoted = s => plain(s).replace(/"/g, '&quot;');
    const sheet = s => {
      try {
        put('<style>' + [...s.cssRules].map(r => r.cssText).join('\n').replace(/<\//g, '<\\/') + '</style>');
      } catch (_) { /* of another origin: its link stands */ }
    };
    const empty = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;
    const write = (n, depth) => {
      if (room <= 0 || depth > 500) return;
      if (n.nodeType === 3) put(plain(n.data));
      if (n.nodeType !== 1 || /^(script|noscript|template)$/.test(n.localName)) return;
      if (n.localName === 'style') {
        if (n.sheet) sheet(n.sheet);
        return;
      }
      let name = n.localName;
      const own = new Map([...n.attributes].filter(a => !/^on/i.test(a.name)).map(a => [a.name, a.value]));
      if (name === 'canvas' && n.width * n.height <= 1 << 22) {
        try {
          const picture = n.toDataURL();
          if (picture.length < 1 << 18) {
            name = 'img';
            own.set('src', picture);
          }
        } catch (_) { /* with pictures of another origin */ }
      } else if (name === 'img' && n.currentSrc) { // the one of several that was loaded
        own.set('src', n.currentSrc);
        own.delete('srcset');
      } else if (name === 'source' && n.parentNode.localName === 'picture') {
        return;
      } else if (name === 'input' && n.type !== 'password' && n.type !== 'file') {
        own.set('value', n.value);
        if (n.checked) own.set('checked', '');
      } else if (name === 'option' && n.selected) {
        own.set('selected', '');
      }
      put('<' + name + [...own].map(([k, v]) => ' ' + k + '="' + quoted(v) + '"').join('') + '>');
      if (empty.test(name)) return;
      const root = n.shadowRoot;
      for (const s of (root || (n === document.documentElement ? document : {})).adoptedStyleSheets || []) sheet(s);
      const given = n.localName === 'slot' ? n.assignedNodes() : [];
      for (const c of given.length ? given : (root || n).childNodes) write(c, depth + 1);
      put('</' + name + '>');
    };
    put('<!doctype html>');
    write(document.documentElement, 0);
    return out.join('');
  };
  window.__watershed = {
    markup,
    step: name => steps[name](),
    still: () => {
      clearInterval(timer); // pages that clear all timers clear this one
      timer = setInterval(beats, 50);
      return beats() - changed;
    },
    read: whole => ({
      title: document.title.slice(0, 1000), ...text(whole), links: links(), here: location.href,
    }),
    ways: () => [...ways().keys()],
    walk: name => {
      const e = ways().get(name);
      if (!e) return {taken: false, here: location.href};
      start = location.href;
      entry = index();
      const at = {taken: !e.hasAttribute('href') || bare(e), here: start};
      const after = c => {
        at.taken = at.taken || c.defaultPrevented;
        if (!bare(e)) c.preventDefault(); // the browser stays
      };
      window.addEventListener('click', after);
      e.click();
      window.removeEventListener('click', after);
      return at;
    },
    back: () => {
      const here = location.href;
      if (here.split('#')[0] === start.split('#')[0]) return {here: start}; // on the page
      if (index() > entry) history.back(); // else that would leave it
      return {here};
    },
    at: () => ({here: location.href}),
    goto: hash => {
      location.hash = hash;
      return 0;
    },
  };
})();
