// What a patient reader does on a page, a step at a time; each step tells how much it did. No
// selector of any site is known here. Nothing is sent, bought, deleted or ended.
(() => {
  // frames of the page's own origin are looked at from the page
  const inFrame = window !== window.top;
  if (window.__watershed || window.frameElement) return;
  const most = 20000;
  const done = new WeakSet();
  // a page that is left for the next one says no farewell, which would be taken for that one's
  let over = false;
  for (const kind of ['beforeunload', 'visibilitychange', 'pagehide', 'unload']) {
    window.addEventListener(kind, e => {
      if (over) e.stopImmediatePropagation();
    }, true);
  }
  let changed = performance.now();
  let scrolled = 0, unheard = 0; // when the page was scrolled, and how many parts have not told it so far
  let fresh = new Set([document]); // what was added or changed since the page was last looked over
  const observer = new MutationObserver(list => {
    changed = performance.now();
    if (fresh.size > most) fresh = new Set([document]);
    if (fresh.has(document)) return;
    for (const r of list) {
      if (r.type === 'characterData' || r.attributeName === 'href') fresh.add(r.target);
      for (const n of r.addedNodes) fresh.add(n);
    }
  });
  const roots = new WeakMap(); // shadow trees by their hosts
  const watch = root => {
    if (root.host) roots.set(root.host, root);
    observer.observe(root, {childList: true, subtree: true, characterData: true,
      attributeFilter: ['src', 'srcset', 'href', 'hidden', 'class', 'open']});
    fresh.add(root);
  };
  watch(document);
  const rootOf = e => {
    if (!roots.has(e) && e.shadowRoot) watch(e.shadowRoot); // as markup made it
    return roots.get(e);
  };
  // trees.js tells of each shadow tree by an element that stands in it for a moment
  let marker = null;
  window.addEventListener('watershed-root', e => {
    if (e.relatedTarget) {
      marker = e.relatedTarget;
    } else if (marker && marker.getRootNode() instanceof ShadowRoot) {
      watch(marker.getRootNode());
    }
  });
  // scripts that have worked for long have mostly not done what they worked for; an observer of long
  // tasks is not told of each
  let beat = performance.now();
  const beats = () => {
    const now = performance.now();
    if (now - beat > 150) changed = now;
    beat = now;
    return now;
  };
  let timer = inFrame ? 0 : setInterval(beats, 50);

  // the document that a frame shows, of the page's own origin; those of others are not to be looked into
  const framed = new WeakSet();
  const innerOf = e => {
    const inner = /^(i?frame|object)$/.test(e.localName) ? e.contentDocument :
      e.localName === 'embed' && e.getSVGDocument();
    if (inner && !framed.has(inner)) {
      framed.add(inner);
      watch(inner);
    }
    return inner;
  };
  // every element, within shadow roots and frames, too, but for forms: their fields hide what they have
  function* all() {
    for (const trees = [document]; trees.length;) {
      for (const e of trees.pop().querySelectorAll(':not(form)')) {
        yield e;
        for (const tree of [rootOf(e), innerOf(e)]) if (tree) trees.push(tree);
      }
    }
  }
  const bodyOf = d => d.body || d.documentElement || d;
  // every node that may show something, in order, but for trees that were seen
  function* nodes(top, seen) {
    for (const ahead = [top]; ahead.length;) {
      const n = ahead.pop();
      if (/^(script|style|noscript|template)$/i.test(n.nodeName) || seen && seen.has(n)) continue;
      if (seen) seen.add(n);
      yield n;
      for (let c = n.lastChild; c; c = c.previousSibling) ahead.push(c);
      const root = rootOf(n);
      const inner = innerOf(n);
      if (root) ahead.push(root);
      if (inner) ahead.push(bodyOf(inner));
    }
  }
  // what pages may hide: a field of a form, or a picture, whose name is that of a property takes its place
  const getter = (kind, name) => Function.call.bind(Object.getOwnPropertyDescriptor(kind.prototype, name).get);
  const titleOf = getter(Document, 'title');
  const attributesOf = getter(Element, 'attributes');
  const childrenOf = getter(Element, 'children');
  const parentOf = getter(Node, 'parentElement');
  // the element around another one, the host of a shadow tree around what is in it
  const contains = Function.call.bind(Node.prototype.contains);
  const around = e => {
    const root = e.getRootNode(); // of what was taken away it is an element, and links have a host, too
    return parentOf(e) || root.nodeType === 11 && root.host;
  };
  const placed = e => {
    const r = e.getBoundingClientRect();
    return r.width >= 2 && r.height >= 2;
  };
  // clear things may lie over what a reader sees and presses
  const shown = (e, clear) => {
    if (!placed(e)) return false;
    const s = getComputedStyle(e);
    return s.visibility !== 'hidden' && s.display !== 'none' && (clear || s.opacity !== '0');
  };
  // an element and the first in it
  const partsOf = e => {
    const list = [e];
    for (const w = document.createTreeWalker(e, 1); list.length < 10 && w.nextNode();) list.push(w.currentNode);
    return list;
  };
  // the words of an element; those that are shown are found once, as that lays out the page
  const words = new WeakMap();
  const says = e => {
    const named = ['aria-label', 'title', 'alt'].map(name => e.getAttribute(name)).join(' ');
    const key = [e.textContent, e.value, named].join('\n');
    let known = words.get(e);
    if (!known || known.key !== key) {
      const text = ((e.innerText ?? e.textContent) || e.value || '') + ' ' + named; // SVG has no innerText
      known = {key, says: text.replace(/\s+/g, ' ').trim().toLowerCase()};
      words.set(e, known);
    }
    return known.says;
  };
  // besides its words those by which it is called elsewhere, and of what has none those by which it is
  // described, and of the pictures in it
  const tells = e => {
    const mute = !/\p{L}/u.test(says(e));
    return (mute ? partsOf(e) : [e]).flatMap(x => {
      const by = x.getAttribute('aria-labelledby') || mute && x.getAttribute('aria-describedby') || '';
      return [says(x), x.localName === 'title' && x.textContent,
        ...by.split(' ').map(id => id && document.getElementById(id)?.textContent)];
    }).filter(n => n).join(' ').replace(/\s+/g, ' ').toLowerCase();
  };
  const labelOf = e => (e.getAttribute('aria-label') || '').trim().toLowerCase();
  // any of whole words, and of others, of scripts that do not part them
  const anyOf = (words, others) => new RegExp('(?<!\\p{L})(' + words + ')(?!\\p{L})|' + others, 'u');
  // words before which a hand is held back, wherever they stand
  const never = anyOf('log ?(out|off)|sign ?(out|off)|abmelden|ausloggen|d[ée]connexion|d[ée]connecter|' +
    'cerrar sesi[óo]n|(terminar|encerrar) sess[ãa]o|sair|esci|disconnetti(ti)?|uitloggen|' +
    'afmelden|logga ut|logg? (ut|ud)|wyloguj|odhl[áa]sit|[çc][ıi]k[ıi][şs]( yap)?|oturumu kapat|' +
    'delete|remove|l[öo]schen|entfernen|supprime[rz]|eliminar?|eliminare|borrar|apagar|excluir|' +
    'remover|cancella(re)?|rimuov[ei](re)?|verwijder(en)?|ta bort|radera|slet(t|te)?|fjern|' +
    'usu[ńn]|(s?kasuj)|smazat|vymazat|odstranit|sil|kald[ıi]r|poista|t[öo]r([öo]l|l[ée]s)|[șş]terge|' +
    'buy|(re|pre)?-?order|pay(pal|ments?|e[rz])?|checkout|(add ?to ?)?(cart|basket)|add ?to ?bag|' +
    '(ein|ver)?kaufen|(ab|vor)?bestellen|bestel(len)?|(be)?zahlen|warenkorb\\p{L}*|achete[rz]|' +
    'commande[rz]|panier|comprar?|pagar?|pagamento|encomendar|carrinho|carrito|acquista(re)?|' +
    'ordina(?! per)|carrello|koop|kopen|betalen|afrekenen|winkel(wagen|mand)\\p{L}*|k[öo]pa?|' +
    'best[äa]lla?|betala|varukorg\\p{L}*|kj[øo]p|køb|handlekurv|indkøbskurv|kup(i[ćc])?|' +
    'zam[óo]w(ienie)?|zap[łl]a[ćc]|koszyk\\p{L}*|koupit|objednat|zaplatit|ko[šs][íi]k\\p{L}*|' +
    'sat[ıi]n al|sipari[şs]( ver)?|sepet\\p{L}*|öde(me)?|osta|tilaa|ostoskori\\p{L}*|' +
    'megrendel\\p{L}*|kosár\\p{L}*|cumpără|(up|down)?voted?|(un|dis)?like[ds]?|rated?|abstimmen|' +
    'vote[rz]|votar?|votare|curtir|me gusta|j.aime|gef[äa]llt mir|vind ik leuk|mi piace|gilla|' +
    'r[öo]sta|za?g[łl]osuj|lubi[ęe] to|hlas(ovat|uj)|l[íi]b[íi] se mi|oy ver|be[ğg]en|[äa][äa]nestä|szavaz\\p{L}*|' +
    '(un)?subscrib(e|ed|ing)|(d[ée]s)?abonn\\p{L}*|newsletter\\p{L}*|subscrever|assinar|' +
    'inscrever(-se)?|iscriviti|abbonati|inschrijven|uitschrijven|prenumerera|sub?skrybuj|' +
    'zapisz si[ęe]|odeb[íi]rat|abone ol|feliratkoz\\p{L}*|suscri(bir(se|te)?|b[íi]rse)|' +
    'suscr[íi]bete|inscri(re|ption)|(re)?send|submit|(ab)?senden|envoye[rz]|enviar|invia(re)?|' +
    'verstuur|versturen|verzend(en)?|skicka|wy[śs]lij|odeslat|poslat|g[öo]nder|l[äa]het[äa]|' +
    'k[üu]ld[ée]s|trimite|report|melden|signale[rz]|denunciar|segnala(re)?|anm[äa]l|zg[łl]o[śs]|' +
    'nahl[áa]sit|[şs]ikayet( et)?|(un)?block(ed)?|(un)?follow(ed|ing)?|seguir(?! l)|segui|' +
    'volg(en)?|f[öo]lj|obserwuj|sledovat|takip et|(re)?share|teilen|partage[rz]|compartir|' +
    'compartilhar|partilhar|condividi|delen|dela|udost[ęe]pnij|sd[íi]let|payla[şs]|downloads?|' +
    'downloaden|herunterladen|t[ée]l[ée]charger|descargar|descarregar|baixar|scarica(re)?|' +
    'ladda ner|pobierz|st[áa]hnout|i\u0307?ndir|print|(aus)?drucken|afdrukken|imprim(ir|er)|' +
    'stampa(re)?|skriv ut|drukuj|vytisknout|yazd[ıi]r|удали\\p{L}*|видалити|купи\\p{L}*|' +
    'заказ\\p{L}*|замовити|оформить|корзин\\p{L}*|кошик\\p{L}*|оплат\\p{L}*|выйти|выход|вийти|' +
    'izbri[šs]i|obri[šs]i|odjav[ai]( se)?|izlaz|kupi|glasaj|i[šs]trinti|atsijungti|pirkti|balsuoti|' +
    'dz[ēe]st|iziet|pirkt|balsot|kustuta|logi v[äa]lja|h[äa][äa]leta|fshi(je)?|blej|voto|hapus|keluar|' +
    'beli|padam|x[óo]a|[đd][ăa]ng xu[ấa]t|mua|esborra|surt|tanca( la)? sessi[óo]|zmaza[ťt]|' +
    'odhl[áa]si[ťt]( sa)?|k[úu]pi[ťt]|deconect\\p{L}*|voteaz[ăa]|kijelentkez\\p{L}*|v[áa]s[áa]r\\p{L}*|' +
    'kirjaudu ulos|verwyder|ezabatu|futa|ey[ðd]a|[úu]tskr[áa]|изтри\\p{L}*|изход|поръча\\p{L}*|обриши|одјави( се)?|' +
    'отправ\\p{L}*|надіслати|(про)?голос(ова\\p{L}*|уй\\p{L}*)|подпи[сш]\\p{L}*|отпи[сш]\\p{L}*|' +
    'підпис\\p{L}*|поделиться|нравится|скачать|распечатать|пожаловаться|διαγραφή|αγορά|ψ[ήη]φ\\p{L}*|' +
    'παραγγελία|αποσύνδεση|αποστολή',
    '削除|購入|注文|カート|投票|購読|ログアウト|送信|删除|刪除|购买|購買|下单|购物车|订阅|訂閱|退出|登出|提交|삭제|구매|주문|장바구니|로그아웃|전송|구독|투표|حذف|شراء|' +
    'تسجيل الخروج|إرسال|اشترك|מחק|קנה|התנתק|שלח|' +
    '注销|サインアウト|हटा|लॉग आउट|खरीद|ลบ|ออกจากระบบ|ซื้อ|خروج|خرید|წაშლ|ջնջ|жою|🗑|⏻|🛒');
  const soon = '(ahora|agora|hned|jetzt|maintenant|now|nu|ora|teraz|сейчас)';
  // labels by which, as a whole, something is done to an account, a post or a loan: words of theirs stand in
  // headings, too, and pages ask for consent by some. Tabs and menus that say what they are have them as names.
  const orders = new RegExp('^[^\\p{L}\\p{N}]*(' + soon + ' )?(' +
    '(accept|approve|archive|ban|cancel|clear|close|deactivate|decline|discard|empty|end|flag|hide|join|kick|' +
    'leave|mute|place|pin|publish|quit|reject|renew|reset|revoke|sign|start|unpublish|withdraw)' +
    '( (an?|all|my|the|this|your|free))*( (access|account|bid|booking|comment|conversation|draft|group|history|' +
    'hold|invit(ation|e)|loan|membership|offer|petition|post|profile|request|reservation|session|settings?|' +
    'subscription|trash|trial|user))s?|(apply|book|donate|enroll?|get it|join|register|rent|reserve|upgrade) now|' +
    '(un)?publish|bid|bookmark|check in|deactivate|discard|disconnect|donate|flag|(not )?going|(un)?helpful|' +
    'invite|leave|merge|mute|opt out|pin|pledge|quit|re(boot|deem|ply|post|serve|store|tweet)|rsvp|save|' +
    'shut ?down|sign ?up|terminate|thumbs (up|down)|undo|unfriend|unlink|wipe|withdraw|' +
    'add (to )?(favou?rites|friends?|(watch|wish) ?list)|mark (all )?as \\p{L}+|move to trash|post comment|' +
    'request (a quote|item)|was this helpful.*|' +
    '(abo|angebot|einladung|gruppe|konto|vertrag) (ablehnen|annehmen|k[üu]ndigen|schlie[ßs]+en|verlassen)|' +
    'beitreten|bewerten|bieten|buchen|mieten|mitmachen|mitglied werden|registrieren|reservieren|spenden|teilnehmen|' +
    'k[üu]ndigen|stornieren|widerrufen|verwerfen|ver[öo]ffentlichen|speichern|kommentieren|antworten|sperren|' +
    'zur[üu]cksetzen|hilfreich|zur kasse|auf die merkliste|' +
    '(accepter|annuler|fermer|quitter|refuser|rejoindre|r[ée]silier|signer) (l.|la |le |mon |ma |votre )?' +
    '(abonnement|commande|compte|contrat|groupe|invitation|offre|p[ée]tition)|rejoindre|faire un don|r[ée]server|' +
    'r[ée]silier|r[ée]initialiser|publier|enregistrer|commenter|r[ée]pondre|bloquer|louer|ench[ée]rir|noter|' +
    'utile|effacer|ajouter aux favoris|s(.|e d[ée]s)inscrire|valider|' +
    '(aceptar|anular|cancelar|cerrar|dejar) (el |la |mi |tu )?(cuenta|grupo|invitaci[óo]n|pedido|suscripci[óo]n)|' +
    'reservar|publicar|guardar|salvar|responder|unirse|donar|doar|valorar|avaliar|darse de baja|bloquear|' +
    'prenota|pubblica|salva|rispondi|unisciti|dona|blocca|(accetta|rifiuta) (l.)?invito|' +
    'reserveren|opslaan|beantwoorden|doneren|opzeggen|annuleren|lid worden|publiceren|' +
    '(opustit|podepsat|p[řr]ijmout|vypov[ěe]d[ěe]t|zru[šs]it) \\p{L}+|p[řr]ipojit se|p[řr]isp[ěe]t|' +
    'rezerv(ovat|uj)|publikovat|ulo[žz]it|komentovat|odpov[ěe]d[ěe]t|zablokovat|zaregistrovat se|ohodnotit|' +
    'p[řr]idat do obl[íi]ben[ýy]ch|potvrdit|' +
    '(anuluj|opu[śs][ćc]|podpisz|przyjmij|wypowiedz|zamknij) \\p{L}+|do[łl][ąa]cz|wesprzyj|zarezerwuj|' +
    'wypisz si[ęe]|zresetuj|opublikuj|zapisz|skomentuj|odpowiedz|zablokuj|zarejestruj si[ęe]|oce[ńn]|' +
    'potwierd[źz]|wp[łl]a[ćc]|licytuj|dodaj do ulubionych|' +
    'сохранить|ответить|опубликовать|вступить|забронировать|пожертвовать|оценить|заблокировать|' +
    '(отменить|принять) (заказ|приглашение)|' +
    '退会(する)?|招待を受ける|参加する|グループを抜ける|寄付(する)?|お気に入りに追加|評価する|予約(する)?|(注文を)?キャンセル|配信停止|リセット|公開する|保存(する)?|' +
    'コメントする|返信(する)?|ブロック(する)?|会員登録|解約(する)?|いいね|応募する|破棄|支払う|入札(する)?|确定|確定|保存|回复|发布|加入|收藏|预订|点赞|取消订单|' +
    '저장|답글|가입|예약(하기)?|좋아요|기부(하기)?|탈퇴(하기)?|' +
    'إغلاق الحساب|قبول الدعوة|انضم|مغادرة المجموعة|تبرع|أضف إلى (السلة|المفضلة)|قيّم|احجز|إلغاء (الطلب|الاشتراك)|' +
    'إعادة تعيين|نشر|حفظ|تعليق|رد|حظر|تسجيل|إعجاب|صوت|ادفع|إزالة|تأكيد' +
    ')( ' + soon + ')?[^\\p{L}\\p{N}]*$', 'u');
  const more = anyOf('load more|show more|view more|see more|read more|more results|older posts|mehr|' +
    'weitere|alle anzeigen|voir plus|plus de|afficher plus|charger|ver m[áa]s|mostrar|cargar m[áa]s|' +
    'carica(re)?|mostra|altro|mais|carregar|meer|laad|fler|mer|flere|lis[äa]+|poka[żz]|wi[ęe]cej|další|' +
    'více|daha fazla|ещ[ёе]|показать|больше|περισσ\\p{L}*',
    '^\\P{L}*(show|load|view|see|read|go to( the)?)? ?(all|more|older|next)( \\S+){0,3}( ?[▾▼…›»]+)?$|' +
    '^\\P{L}*(\\p{L}+ ){0,3}(n[äa]chste[nrs]?|suivante?s?|siguientes?|seguinte|pr[óo]xim[oa]|successiv[oa]|volgende|' +
    'n[äa]sta|n[æe]ste|nast[ęe]pn\\p{L}+|n[áa]sleduj[íi]c[íi]|seuraava|sonraki|следующ\\p{L}+|наступн\\p{L}+)' +
    '( \\p{L}+){0,3}\\P{L}*$|次へ|次の|下一|다음|' +
    'もっと|続き|さらに|更多|加载|더 ?보기|المزيد|עוד');
  // of what lies on top of a page: words by which a reader agrees, wherever they stand, and those that
  // end it, at the beginning
  const agree = anyOf('ok(ay|[ée])?|agree|allow|ac{1,2}ept(?!abl|anc|ion)\\p{L}*|accett\\p{L}*|' +
    'aceit\\p{L}*|(za)?ak[cstz]+ept\\p{L}*|annehmen|zustimmen|stimme|zulassen|erla[ua]be?n?|einverstanden|' +
    'autori[sz](ar|er)|consent(ir|i)|perm[ei]t(ir|re|e|e[țt]i)?|acconsento|va bene|concordo|de acordo|' +
    'de acuerdo|c.est bon|es bon|(sta .*)?toe(staan)?|aanvaarden|akkoord|till[åa]ta?|godk[äa]nn|godtar?|' +
    'godkend|tillad|hyv[äa]ksy\\p{L}*|salli|zgadzam|zezw[óo]l|zezwalaj|souhlas[íi]m?|p[řr]ijmout|' +
    'povo[lľ]\\p{L}*|kabul|tamam|i\u0307?zin(?! verm)|(el)?fogad\\p{L}*|engedélyez\\p{L}*|luba|n[õo]ustu|' +
    'u redu|dopusti|prihvati|priimu|leisti|pie[ņn]emt|atļaut|lejo|cho phép|прин(ять|имаю)|приемам|ок|' +
    'у реду|активировать|соглас\\p{L}*|разреш\\p{L}*|позвол\\p{L}*|дозвол\\p{L}*|прийняти|погоджую\\p{L}*|' +
    'αποδο?χ\\p{L}*|συμφωνώ|επ[έι]τρ[έε]\\p{L}*',
    '同意|接受|許可|允许|允許|照单全收|没事|동의|허용|수락|قبول|تقبل|سماح|أوافق|אישור|מסכים|' +
    '(?<!\\p{N})(1[68]|2[01])( ?\\+| \\p{L})|\\p{L} (1[68]|2[01])(?!\\p{N})'); // the last ones are ages
  const end = new RegExp('^(got it|continue|understood|close|dismiss|reject|decline|(i )?consent$|' +
    '(only|nur) (necessary|notwendige)|verstanden|(alle )?ablehnen|(tout )?refuser|continuer|rechazar|' +
    'rifiuta|rejeitar|weigeren|yes|ja|oui|s[íi]|sim|tak|ano|evet|да|так|はい|是的?|예|네|نعم|כן|' +
    'enter( (the )?(web)?site)?$|eintreten|entrer|entrar|entra$)(?!\\p{L})', 'u');
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
  // what scripts in attributes do to the page alone
  const local = /\.remove\(\s*\)|\b(classList\.remove|remove(Child|Attr(ibute)?|Class|EventListener))\b/g;
  // of what has no words its pictures, and their classes, tell it
  const bodes = e => (/\p{L}/u.test(tells(e)) ? [e] : partsOf(e)).some(x => [...attributesOf(x)].some(a =>
    method.test(a.name) || !/^(style|d|aria-.*)$/.test(a.name) && (a.name !== 'src' || x !== e) &&
    deed.test(a.value.replace(local, '').replace(/([a-z])([A-Z])/g, '$1-$2'))));
  const pressable = e => {
    const n = e.localName;
    if (e.disabled || e.getAttribute('aria-disabled') === 'true') return false;
    if (n === 'button' && e.form) { // that of a dialog sends nothing
      return e.type === 'button' || e.type === 'submit' && (e.formMethod || e.form.method) === 'dialog';
    }
    if (n === 'button') return true;
    if (n === 'a') return !e.hasAttribute('href') || /^(#|$|javascript:)/i.test(e.getAttribute('href'));
    if (n === 'input') return e.type === 'button' && !e.form;
    const c = n === 'label' && e.control; // which is pressed with it
    if (c) return /^(radio|checkbox)$/.test(c.type) && !c.form && !never.test(tells(c)) && !bodes(c);
    return /^(button|tab|combobox|treeitem|menuitem|option|radio|switch)$/.test(e.getAttribute('role')) &&
      n !== 'input' && !e.isContentEditable;
  };
  // the events of a mouse's button on an element: many menus, lists and tabs open as it goes down
  const click = e => {
    const {x, y, width, height} = e.getBoundingClientRect();
    for (const [way, buttons] of [['down', 1], ['up', 0]]) {
      for (const [kind, Kind] of [['pointer', PointerEvent], ['mouse', MouseEvent]]) {
        e.dispatchEvent(new Kind(kind + way, {bubbles: true, composed: true, cancelable: true, detail: 1, buttons,
          clientX: x + width / 2, clientY: y + height / 2, pointerId: 1, pointerType: 'mouse', isPrimary: true}));
      }
    }
    if (e.click) e.click();
    else e.dispatchEvent(new PointerEvent('click', {bubbles: true, composed: true, cancelable: true, detail: 1}));
  };
  const lately = []; // the words of what was pressed in this step
  const departing = new Set(); // of what has led to another page, which follow presses
  const press = (e, again) => {
    if (done.has(e) && !again) return 0;
    done.add(e);
    if (never.test(tells(e)) || bodes(e) || departing.has(says(e))) return 0;
    lately.push(says(e));
    click(e);
    return 1;
  };
  const leaves = new RegExp('reject|decline|refus|ablehn|necessary|essential|notwendig|rechaz|rifiut|' +
    'rejeit|weiger|close|(^| )(under|unter|moins|menos|meno|onder|without|ohne|sans|sin|senza|' +
    'zonder|not|nicht|pas|only|nur|solo|non?|n[ãa]o|nie|niet|ikke|inte|nem|не)( |$)');
  const privacy = /cookie|consent|gdpr|privacy|datenschutz|privacidad|confidentialit|riservatezza/i;
  const nameOf = e => e.id + ' ' + e.getAttribute('class');
  // what lies on top of the page and holds an element
  const onTop = e => {
    for (let p = e, i = 0; p && i < 8; p = around(p), i++) {
      const s = getComputedStyle(p);
      if (inFrame && p === document.body || s.position === 'fixed' || s.position === 'sticky' ||
          /dialog$/.test(p.getAttribute('role')) || p.localName === 'dialog' || privacy.test(nameOf(p)) ||
          /banner|notice/i.test(nameOf(p))) return p;
    }
    return null;
  };
  // it asks for consent, or to be closed; to agree to something else that is asked there, in words before
  // which a hand is held back, is what they say
  const banner = e => {
    const p = onTop(e);
    if (!p) return false;
    const asked = says(p);
    if (inFrame && p === document.body) return privacy.test(asked); // a banner in a frame of its own
    return leaves.test(says(e)) || privacy.test(nameOf(p) + asked) || !never.test(asked);
  };
  const scale = which => {
    for (const e of all()) {
      if (pressable(e) && says(e).length < 60 && scales[which].test(says(e)) && shown(e)) return press(e);
    }
    // without a button the wheel may do it: a script that takes it keeps the page from being scrolled
    let n = 0;
    for (const e of all()) {
      const r = e.localName === 'canvas' && shown(e) && e.getBoundingClientRect();
      if (!r || r.width < 200 || r.height < 200) continue;
      n += !e.dispatchEvent(new WheelEvent('wheel', {bubbles: true, cancelable: true, composed: true,
        deltaY: which ? 100 : -100, clientX: r.x + r.width / 2, clientY: r.y + r.height / 2}));
    }
    return n;
  };
  // whether a button opens, without a script, something that is closed
  const opens = e => {
    const to = e.popoverTargetElement || /^(show|toggle)-/.test(e.command) && e.commandForElement;
    return to && e.popoverTargetAction !== 'hide' && !to.open && !to.matches(':popover-open');
  };
  // a field for words to search for: many scripts load their index when it takes the focus
  const searching = e => e.localName === 'input' && (e.type === 'search' || e.type === 'text' &&
    (e.closest('[role=search]') ||
    /search|suche|recherche|busca|cerca|zoek|szuka|hled|sök|søg|поиск|検索|搜索|검색/i.test(
      [e.name, e.id, e.placeholder, e.ariaLabel].join(' '))));
  const hovered = new WeakSet();
  const left = []; // of these, where the mouse is
  const entered = new Set(); // they, and what is around them
  // tells an element that the mouse comes or goes, and each that it enters or leaves with that. The body it
  // does not leave: pages take that for a reader's going.
  const tell = (e, over, enter) => {
    const crossed = [];
    for (let p = e; p && p !== document.body; p = around(p)) {
      if (entered.has(p) === (enter === 'leave')) crossed.unshift(p);
    }
    for (const [kind, Kind] of [['pointer', PointerEvent], ['mouse', MouseEvent]]) {
      e.dispatchEvent(new Kind(kind + over, {bubbles: true, composed: true, cancelable: true}));
      for (const p of crossed) p.dispatchEvent(new Kind(kind + enter));
    }
    for (const p of crossed) enter === 'leave' ? entered.delete(p) : entered.add(p);
  };
  // the parts of each step of scrolling, a frame for each: more where a script waits for all of an element
  let parts = 1;
  window.addEventListener('watershed-whole', () => {
    parts = 4;
  });
  let later = 0; // the moment until which scripts of the page wait
  window.addEventListener('watershed-later', e => {
    later = Math.max(later, performance.now() + e.detail);
  });
  let bottom = 0;
  const nothing = document.createElement('html'); // in place of a page that has taken all of itself away
  const pageOf = () => document.scrollingElement || document.documentElement || nothing;
  const began = new WeakMap(); // where parts stood before they were scrolled
  const rises = new WeakMap(); // how often such a part was at its end; it goes up after the second time
  const opened = new WeakSet(); // what is not done for being opened once more
  const chosen = new WeakMap(); // the entries of lists that were chosen
  // a form by which something is put together, as the variants of an article are, or that a script reads, as
  // nothing in it sends it: it sends nothing by itself that is let through, and asks nobody who they are
  const ofVariants = form => (form.method === 'post' || !form.hasAttribute('action') &&
    !form.querySelector('button:not([type=button],[type=reset]),input[type=submit],input[type=image]')) &&
    !form.querySelector('textarea,input[type=password],input[type=email],input[type=tel],input[type=text]');
  // chooses the next entry of a list, and at last the one that was chosen first
  const choose = e => {
    const was = chosen.get(e) || {first: e.selectedIndex, next: 0};
    chosen.set(e, was);
    if (was.next === was.first) was.next++;
    const over = was.next >= Math.min(e.options.length, 10);
    if (over) done.add(e);
    const entry = e.options[over ? was.first : was.next++];
    if (!entry || entry.disabled || !over && never.test(entry.text.toLowerCase())) return;
    e.selectedIndex = entry.index;
    for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, {bubbles: true}));
  };
  // a button that opens a list of which one entry is chosen, as a script shows it in place of a select; and its
  // entries by their words, as many scripts write them anew each time
  const listing = e => e.localName !== 'input' && (e.ariaHasPopup === 'listbox' || e.getAttribute('role') === 'combobox');
  const picked = new WeakMap();
  const listed = new WeakSet(); // entries of such lists
  // picks the next entry of a list that is open, and at last the one that was chosen first
  const pick = e => {
    if (!picked.has(e)) picked.set(e, {names: new Set(), first: null, before: 0, over: false});
    const was = picked.get(e);
    let next = null, first = null;
    const list = document.getElementById(e.getAttribute('aria-controls')) || document;
    for (const entry of list.querySelectorAll('[role=option]')) {
      if (entry.closest('[aria-multiselectable=true]') || !pressable(entry) || !shown(entry, true)) continue;
      listed.add(entry);
      const name = says(entry);
      if (was.first === null && entry.ariaSelected === 'true') was.first = name;
      if (name === was.first) first = entry;
      else if (!next && was.names.size < 10 && !was.names.has(name) && !orders.test(name)) next = entry;
    }
    was.over = !next;
    if (next) {
      was.names.add(says(next));
      opened.delete(e); // it closes now, and is opened for the one after that
    } else {
      opened.add(e);
    }
    return next || first ? press(next || first, true) : 0;
  };
  const marked = e => e && (/^(true|page|step|location)$/.test(e.ariaCurrent || e.ariaPressed || '') ||
    /(^|[\s_-])(active|selected|current)($|[\s_-])/i.test(e.getAttribute('class') || ''));
  // whether classes and pictures of a button without words name what it does: that it turns to what is next or
  // came before, or that it turns or plays something
  const forth = /(^|[^a-z])(next|(arrow|chevron|angle|caret)s?[ _-]*right)($|[^a-z])/i;
  const back = /(^|[^a-z])(prev(ious)?|(arrow|chevron|angle|caret)s?[ _-]*left)($|[^a-z])/i;
  const plays = /(^|[^a-z])(play|next|prev(ious)?|(arrow|chevron|angle|caret)s?[ _-]*(left|right))($|[^a-z])/i;
  const does = (e, deeds) => !/\p{L}\p{L}/u.test(says(e)) && partsOf(e).some(x =>
    [...attributesOf(x)].some(a => deeds.test(a.value.replace(/([a-z])([A-Z])/g, '$1-$2'))));
  // what rates something: a number or signs, and no words, or a sign of praise; in a tree it opens a branch
  const rates = e => !/\p{L}\p{L}|^[▶▷►▸⏵⏯⏭⏮◀◁◄◂←→‹›«»❮❯]/u.test(says(e)) && !does(e, plays) &&
      !e.closest('[role=tree]') || /[★☆⭐♥❤👍👎]/u.test(says(e)) ||
    /^\P{L}*(stars?|sterne?|[ée]toiles?|estrel+as?|stell[ae]|sterren)(?!\p{L})/u.test(says(e));
  // an element of a row by which a reader turns the pages of a list
  const pager = e => {
    for (let p = e, i = 0; p && i < 5; p = p.parentElement, i++) {
      if (/pagin|pager|paging|page-?(num|nav|list|link|item|btn|button)/i.test(p.getAttribute('class') + ' ' +
          p.id + ' ' + p.ariaLabel)) return true;
    }
    return false;
  };
  const pressed = new WeakMap(); // how often what says "more" was, or an arrow
  const times = e => pressed.get(e) || 0;
  const turned = new Set(); // pages of lists, by their numbers
  const inMenu = e => e.closest('nav,[role=navigation],[role=menubar]');
  // the elements of which one is marked as the one that was chosen, and of which this is another; menus
  // lead elsewhere
  const choice = e => {
    const number = /^\p{N}+$/u.test(says(e)) && pager(e);
    if (rates(e) && !number || turned.has(says(e))) return null;
    const row = e.parentNode && e.parentNode.localName === 'li' ? e.parentNode : e;
    const group = row.parentNode;
    const others = group && group.nodeType === 1 ? childrenOf(group) : group && group.children;
    if (!others || others.length > 30 || marked(row) || marked(e) ||
        !number && inMenu(e)) return null;
    for (const other of others) {
      if (other !== row && other.localName === row.localName &&
          (marked(other) || marked(other.firstElementChild))) {
        if (number) turned.add(says(other));
        return group;
      }
    }
    return null;
  };
  // the name of the place of a page that a link leads to; links in SVG have no hash
  const markOf = e => (e.hash ?? e.getAttribute('href')).slice(1);
  // a link to a place of the page that is not shown
  const folded = e => {
    const at = e.localName === 'a' && /^#[^/!]/.test(e.getAttribute('href') || '') &&
      document.getElementById(markOf(e));
    return at && (!at.getClientRects().length || getComputedStyle(at).visibility === 'hidden');
  };
  const arrow = /^[›»→❯>]$/;
  const dated = anyOf('day|week|month|year|tag|woche|monat|jahr|jour|semaine|mois|ann[ée]e|d[íi]a|semana|mes|' +
    'm[êe]s|a[ñn]o|giorno|settimana|mese|anno|dag|maand|jaar|м[еі]сяц|недел[яю]|год', '[日週周月年]');
  const earlier = new RegExp('^\\P{L}*(previous|prev|vorherige[rs]?|vorige[rs]?|(mois|semaine|jour)? ?pr[ée]c[ée]dente?|' +
    '(mes|m[êe]s|semana)? ?anterior|(mese|settimana)? ?precedente|poprzedni[ae]?|p[řr]edchoz[íi]|' +
    'предыдущ\\p{L}+|前の?|上个?)( ?(day|week|month|slide|item|image|picture|tag|woche|monat|dag|maand|' +
    'miesi[ąa]c|m[ěe]s[íi]c|м[еі]сяц|月|週|周))?\\P{L}*$', 'u');
  const asksMore = (e, button) => more.test(says(e)) || more.test(labelOf(e)) ||
    button && arrow.test(says(e)) && pager(e);
  // whether what leads on stands beside what leads back: alone that would leave the page
  const paired = e => [...(parentOf(parentOf(e) || e) || e).querySelectorAll('a,button,[role=button]')].slice(0, 30)
    .some(x => x !== e && (arrow.test(says(x)) || asksMore(x, true) || does(x, forth)));
  // whether it is of a link to another page, which a router would show in this one's place: follow goes there
  const departs = e => {
    const a = e.closest('a[href]');
    return a && /^https?:$/.test(a.protocol) && (a.origin !== location.origin ||
      a.pathname !== location.pathname || /^#[/!]/.test(a.hash) && a.hash !== location.hash);
  };
  // presses, of what is asked for, that which was pressed least, as one may bring nothing
  const least = asked => {
    let next = null;
    for (const e of all()) {
      const button = pressable(e);
      const sign = e.title && !e.innerText; // a picture that tells what a press on it does
      if (!button && !sign && !(points(e) && e.textContent.length < 60) || says(e).length >= 60 ||
          departing.has(says(e)) || never.test(tells(e)) || !shown(e) || bodes(e)) continue;
      if (asked(e, button) && !(next && times(next) <= times(e)) && !departs(e)) next = e;
    }
    if (!next) return 0;
    pressed.set(next, times(next) + 1);
    next.scrollIntoView({block: 'center', behavior: 'instant'});
    return press(next, true);
  };
  const steps = {
    consent() {
      if (!began.has(pageOf())) began.set(pageOf(), pageOf().scrollTop);
      const found = [];
      for (const e of all()) {
        const button = pressable(e);
        const words = button || e.textContent.length < 60 ? says(e) : '';
        if (words && words.length < 60 && (agree.test(words) || end.test(words)) && (button || points(e)) &&
            shown(e) && !bodes(e) && banner(e)) found.push(e);
      }
      // to agree shows more than to refuse: a reader of the archive sees what readers saw
      const yes = found.find(e => !leaves.test(says(e)));
      const e = yes || found[0];
      if (!e) return 0;
      kept.clear(); // the words of a banner are none of the page
      keptSize = 0;
      fresh.add(document);
      return press(e);
    },
    // looks once at what came before, as the last month of a calendar: the presses of later steps go on from it
    back: () => least((e, button) => button && !times(e) && paired(e) &&
      (/^[‹←◀❮<]$/.test(says(e)) || earlier.test(says(e)) || earlier.test(labelOf(e)) || does(e, back))),
    // presses what says "more", and then what an arrow turns: calendars, which have no end, and each arrow
    // at most as often as a year has months
    more: () => least((e, button) => asksMore(e, button) && (times(e) < 12 || !dated.test(says(e)))),
    turn: () => least((e, button) => button && times(e) < 12 && !asksMore(e, button) &&
      (arrow.test(says(e)) || does(e, forth))),
    // opens what is closed; of several of which one is open at a time the next one. What has closed
    // again, as others were opened, is opened once more, for itself.
    open() {
      const full = new Set(); // groups of which one was opened
      let n = 0;
      const list = [...all()];
      for (const e of list) if (e.localName === 'dialog' && e.matches(':modal')) e.close();
      for (const e of list) {
        if (n >= 200) break;
        if (e.localName === 'select' && e.options) { // not of SVG
          if (done.has(e) || e.form && !ofVariants(e.form) || e.multiple || e.size > 1 || e.disabled ||
              e.options.length < 2 || !shown(e) || never.test(labelOf(e)) || bodes(e)) continue;
          choose(e);
          n++;
          continue;
        }
        if (listed.has(e)) continue;
        if (listing(e) && e.ariaExpanded === 'true' && done.has(e) && !picked.get(e)?.over) {
          n += pick(e);
          continue;
        }
        const details = e.localName === 'details';
        const tab = e.getAttribute('role') === 'tab';
        const of = !details && !tab && !e.hasAttribute('aria-expanded') && pressable(e) && choice(e);
        const closed = details ? !e.open : e.getAttribute('aria-expanded') === 'false' ||
          tab && e.getAttribute('aria-selected') === 'false' || opens(e) || of || folded(e) ||
          !e.hasAttribute('aria-expanded') && e.ariaHasPopup && e.ariaHasPopup !== 'false';
        const alone = tab ? e.closest('[role=tablist]') || e.parentNode :
          details ? e.getAttribute('name') : of;
        if (!closed || done.has(e) && (alone || opened.has(e))) continue;
        const group = alone || (done.has(e) ? done : e);
        if (full.has(group) || !details && !(pressable(e) && shown(e, e.ariaExpanded))) continue;
        const was = picked.get(e);
        if (done.has(e) && (!was || was.before === was.names.size)) opened.add(e);
        if (was) was.before = was.names.size;
        if (details) {
          done.add(e);
          e.open = true;
        } else if (of && !folded(e) && !/(^|[ _-])tabs?($|[ _-])/i.test(nameOf(e)) && orders.test(says(e)) ||
            !press(e, true)) {
          opened.add(e);
          continue;
        }
        full.add(group);
        if (of && pager(e)) turned.add(says(e));
        n++;
        if (pathOf(location.href) !== pathOf(home)) break;
      }
      return n;
    },
    // for how many ms scripts wait
    later: () => Math.max(0, Math.ceil(later - performance.now())),
    closer: () => scale(0),
    farther: () => scale(1),
    // leads the mouse over links, menus, components and what takes presses: three of each shape at a time; and
    // into fields of searches
    hover() {
      const of = new Map();
      steps.leave();
      for (const e of all()) {
        if (left.length >= 100) break;
        if (hovered.has(e) ||
            !e.matches('a[href],button,[aria-haspopup],nav li,[role=navigation] li,[hx-get]') &&
            !e.localName.includes('-') && !searching(e) && !points(e)) continue;
        const shape = [e, parentOf(e)].map(x => x && x.localName + '.' + x.getAttribute('class')).join();
        const n = of.get(shape) || 0;
        if (n >= 3 || !shown(e) || never.test(tells(e)) || bodes(e)) continue;
        of.set(shape, n + 1);
        hovered.add(e);
        tell(e, 'over', 'enter');
        if (searching(e)) e.focus({preventScroll: true});
        left.push(e);
      }
      return left.length;
    },
    leave() {
      for (const e of left.splice(0)) {
        if (searching(e)) e.blur();
        tell(e, 'out', 'leave');
      }
      return 0;
    },
    // goes on to the end; what its script has shown at the end from the first, as talks are, to its top then
    scroll() {
      scrolled = performance.now();
      unheard = 0;
      const page = pageOf();
      let moved = 0;
      // styles that have it scroll smoothly would have it arrive later
      const by = (e, way, far) => {
        far /= parts;
        const before = e['scroll' + way];
        if (!began.has(e)) began.set(e, before);
        const ends = rises.get(e) || 0;
        if (ends > 1) far = -far;
        e.scrollBy({[way.toLowerCase()]: far, behavior: 'instant'});
        if (e['scroll' + way] === before && way === 'Top' && began.get(e) > 50 && ends < 2) rises.set(e, ends + 1);
        if (e['scroll' + way] !== before) {
          moved = 1;
          unheard++;
          const at = scrolled;
          (e === page ? document : e).addEventListener('scroll', () => {
            if (at === scrolled) unheard--;
          }, {once: true});
          let rest = parts - 1;
          const further = () => {
            if (at !== scrolled || rest-- === 0) return;
            e.scrollBy({[way.toLowerCase()]: far, behavior: 'instant'});
            requestAnimationFrame(further);
          };
          if (rest > 0) requestAnimationFrame(() => requestAnimationFrame(further));
        }
      };
      by(page, 'Top', window.innerHeight * 0.8);
      for (const e of all()) {
        if (e !== page && e.scrollHeight > e.clientHeight + 50 && e.clientHeight > 100 &&
            (e === e.ownerDocument.scrollingElement || /auto|scroll/.test(getComputedStyle(e).overflowY))) {
          by(e, 'Top', e.clientHeight * 0.8);
        }
        // a row of pictures; long lines of code and wide tables are there already
        if (e !== page && e.scrollWidth > e.clientWidth + 50 && e.clientWidth > 100 &&
            !/^(pre|code|table)$/.test(e.localName) && !e.querySelector('pre,table') &&
            /auto|scroll/.test(getComputedStyle(e).overflowX)) by(e, 'Left', e.clientWidth * 0.8);
      }
      if (page.scrollHeight > bottom) {
        bottom = page.scrollHeight;
        moved = 1;
      }
      return moved;
    },
    top() {
      if (!inFrame) window.scrollTo({top: 0, behavior: 'instant'});
      return 0;
    },
    play() {
      let n = 0;
      for (const e of all()) {
        if (e.play && !done.has(e) && n < 10) {
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
      for (const e of all()) {
        if (e.play && !e.paused && !e.ended &&
            isFinite(e.duration)) n++;
      }
      return n;
    },
  };
  const kept = new Set(); // pieces of text that the page has shown
  let keptSize = 0;
  const met = new Map(); // links that it has shown
  let told = {pieces: 0, links: 0, room: 0}; // of these, when they were read; and the room left for text
  // a link to a place of the page that is not there, or to a script: scripts know what it shows
  const bare = e => {
    const href = e.getAttribute('href') || '';
    const to = /^#([^/!].*)?$/.exec(href);
    return /^\s*javascript:/i.test(href) || !!to && to[1] !== 'top' &&
      !(to[1] && (document.getElementById(to[1]) || document.getElementsByName(to[1])[0] ||
        document.getElementById(markOf(e))));
  };
  // the address of something on the web; null where it has none
  const addressOf = (written, base) => {
    try {
      const {href} = new URL(written, base);
      return /^https?:/.test(href) && href.length < 16384 ? href : null;
    } catch (_) {
      return null;
    }
  };
  const linkOf = e => {
    if (e.localName !== 'a' && e.localName !== 'area') return null;
    const written = typeof e.href === 'string' ? e.href : e.href && e.href.baseVal;
    const url = written ? addressOf(written, e.baseURI) : null;
    if (!url) return null;
    return {url, at: 'a/@href', bare: bare(e),
      text: (e.textContent || '').replace(/\s+/g, ' ').trim().slice(0, 200),
      rel: (e.getAttribute('rel') || '').slice(0, 200)};
  };
  const unseen = 'head,script,style,noscript,template';
  // whether nothing but elements within a line part a piece of text from another one; links stand apart in menus
  const inLine = (n, other, known) => {
    let e = parentOf(n);
    for (; e && !contains(e, other); e = parentOf(e)) {
      if (!known.has(e)) known.set(e, e.localName !== 'a' && getComputedStyle(e).display === 'inline');
      if (!known.get(e)) return false;
    }
    return !!e;
  };
  // tells of nodes in order whether each is a text in which the word goes on that ends the text before, as
  // scripts and markup part words
  const goingOn = () => {
    const known = new Map();
    let last = null, begun = []; // the text before, and the elements that have begun since
    return n => {
      if (n.nodeType === 1 && n.localName !== 'wbr') begun.push(n);
      if (n.nodeType !== 3) return false;
      const on = last && /\S$/.test(last.data) && /^\S/.test(n.data) && begun.length < 5 &&
        begun.every(e => contains(e, n)) && inLine(last, n, known) && inLine(n, last, known);
      last = n;
      begun = [];
      return on;
    };
  };
  // The page is at home at the address at which it was read first. Scripts may show another page in its place,
  // by a press, after a while or as it is scrolled, under an address of its own: what that shows is not of this
  // one. Where they add to the page, as the next article, all of it is.
  let home = '';
  let homeEntry = null; // of the history
  let homeTitle = '';
  let homeText = new Set(); // pieces that are seen there
  let strayed = 0; // how often another page was shown
  let astray = false; // since the last look
  const atHome = () => placeOf(location.href) === home;
  const placeOf = url => url.replace(/#(?![/!]).*/, '');
  const pathOf = url => placeOf(url).replace(/\?[^#]*/g, '');
  const isSeen = Function.call.bind(Element.prototype.checkVisibility);
  const seenText = () => {
    const out = new Set();
    for (const n of nodes(bodyOf(document))) {
      const over = n.nodeType === 3 && n.data.trim() && around(n);
      if (over && isSeen(over)) out.add(n.data.trim());
    }
    return out;
  };
  // whether what the page shows takes the place of what it showed at home, or, after the way back, still does
  const replaced = () => {
    const now = seenText();
    const sum = (of, but) => [...of].reduce((n, t) => but.has(t) ? n : n + t.length, 0);
    const gone = sum(homeText, now);
    const had = sum(homeText, nowhere);
    if (atHome()) return gone > had / 2;
    // a clock, or the words of a filter, is no page
    return gone * 30 > had &&
      (titleOf(document) !== homeTitle || gone > had / 2 || gone * 4 > sum(now, homeText));
  };
  const nowhere = new Set();
  const departed = () => home !== '' && (astray || pathOf(location.href) !== pathOf(home)) && replaced();
  // goes back home where the history leads there
  const goHome = () => {
    for (const words of lately) if (words) departing.add(words);
    fresh = new Set();
    if (astray && atHome() || strayed++ >= 10 || index() === homeEntry.index) return false;
    astray = true;
    for (const done of Object.values(navigation.traverseTo(homeEntry.key))) done.catch(() => 0);
    return true;
  };
  // a document that no server gives would take the place of the page without being asked for
  if (!inFrame) {
    navigation.addEventListener('navigate', e => {
      if (!/^https?:/.test(e.destination.url)) e.preventDefault();
    });
  }
  // keeps text and links that were added since the last time: lists take rows away that are out of view
  const keep = () => {
    const seen = new Set();
    for (const top of fresh) {
      const within = top.nodeType === 3 ? top.parentElement : top;
      if (!top.isConnected || within && within.closest && within.closest(unseen)) continue;
      let piece = '';
      const put = () => {
        if (piece && keptSize < 1 << 20 && !kept.has(piece)) {
          kept.add(piece);
          keptSize += piece.length + 1;
        }
        piece = '';
      };
      const goesOn = goingOn();
      for (const n of nodes(top.nodeType === 9 ? bodyOf(top) : top, seen)) {
        if (!goesOn(n) && n.nodeType === 3) put();
        if (n.nodeType === 3) piece += n.data.trim();
        const link = n.nodeType === 1 && met.size <= most && linkOf(n);
        if (link && !met.has(link.url)) met.set(link.url, link);
      }
      put();
    }
    fresh = new Set();
  };
  // the pieces of text that the page shows, and, where the whole is asked for, behind them those that it
  // showed before and has taken away since
  const text = (whole, away) => {
    if (away) return {text: [...kept].join(' ').replace(/\s+/g, ' '), shows: -1};
    const out = [];
    let size = 0;
    const add = (t, on) => {
      if (!t || size > 1 << 20) return;
      if (on) out.push(out.pop() + t);
      else out.push(t);
      size += t.length + 1;
    };
    const goesOn = goingOn();
    for (const n of nodes(bodyOf(document))) {
      if (size > 1 << 20) break;
      const on = goesOn(n);
      if (n.nodeType === 3) add(n.data.trim(), on);
    }
    const shows = size;
    if (whole) {
      const now = new Set(out);
      for (const t of kept) if (!now.has(t)) add(t);
    }
    return {text: out.join(' ').replace(/\s+/g, ' '), shows};
  };
  // what the page would ask for in a window of another size, or of finer points: pictures among which
  // the browser chose, and those that rules of scripts name
  const candidate = /(\S*[^\s,])(?:\s[^,(]*(?:\([^)]*\)[^,(]*)*)?(?:,|$)/g; // HTML standard, 4.8.4.2.1
  const read = new WeakMap(); // how many rules of a sheet were read
  const variants = function* () {
    const trees = new Set([document]);
    for (const e of all()) {
      for (const name of ['srcset', 'imagesrcset']) {
        for (const m of (e.getAttribute(name) || '').matchAll(candidate)) {
          yield {url: addressOf(m[1], e.baseURI), at: e.localName + '/@' + name};
        }
      }
      if (rootOf(e)) trees.add(rootOf(e));
    }
    for (const tree of trees) {
      for (const sheet of [...tree.styleSheets, ...tree.adoptedStyleSheets]) {
        if (sheet.href || read.get(sheet) === sheet.cssRules.length) continue;
        read.set(sheet, sheet.cssRules.length);
        for (const rule of sheet.cssRules) {
          for (const m of rule.cssText.matchAll(/url\("([^"\\]+)"\)/g)) {
            yield {url: addressOf(m[1], document.baseURI), at: 'style'};
          }
        }
      }
    }
  };
  const links = (whole, away) => {
    const out = new Map();
    for (const e of away ? [] : all()) {
      if (out.size > most) break;
      const link = linkOf(e);
      if (link && !out.has(link.url)) out.set(link.url, link);
    }
    for (const [url, link] of whole ? met : []) if (!out.has(url) && out.size <= most) out.set(url, link);
    for (const other of whole && !away ? variants() : []) {
      if (other.url && out.size <= most && !out.has(other.url)) out.set(other.url, other);
    }
    return [...out.values()];
  };
  // whether the pointer over an element says that it takes presses, without a link or a button in it; the
  // style of what is hidden is computed anew each time, with that of all around it. To find where an element
  // is placed takes as long as it stands deep.
  const pointed = new WeakMap();
  const points = e => {
    if (pointed.get(e) === false || !placed(e)) return false;
    if (!pointed.has(e)) {
      const over = around(e);
      const takes = x => /^(pointer|zoom-in)$/.test(getComputedStyle(x).cursor);
      pointed.set(e, takes(e) && !(over && takes(over)) && !e.closest('form') &&
        !e.matches('button,label,input,select,summary,option,textarea') &&
        !e.querySelector('a[href],button,label,input,select,[role=button]'));
    }
    return pointed.get(e);
  };
  // elements by which scripts may lead to other places of the host, by their names: the address, or, of
  // those without one, which come last, their words
  let start = '';
  let entry = 0; // of the history, at start
  const index = () => window.navigation?.currentEntry?.index ?? 0;
  let before = new Map(); // the ways when they were looked for last
  const called = new WeakMap(); // their names: a twin keeps its own when those before it are gone
  const ways = () => {
    const out = new Map();
    const rest = new Map();
    const buttons = new Map();
    const pages = new Map(); // of lists, most of which were turned before
    const mute = {}; // how many without words there were so far, by the names of elements
    const here = location.href.split('#')[0];
    for (const e of all()) {
      if (out.size + rest.size + buttons.size + pages.size >= 500) break;
      if (e.ownerDocument !== document) continue; // it leads its frame, which the browser would not stop
      const a = e.localName === 'a' && e.hasAttribute('href') && !bare(e);
      let name = '';
      let to = a ? out : rest;
      if (a && typeof e.href === 'string' && e.origin === location.origin && !e.hasAttribute('download') &&
          !/^_(blank|new)$/.test(e.target)) {
        name = e.href.split('#')[0];
        if (name === here || name.length > 2000) name = '';
      } else if (!a && (e.getAttribute('role') === 'link' || e.localName === 'a' ||
          e.matches(':is([hx-get],[data-hx-get]):is([hx-trigger*=click],:not([hx-trigger],[data-hx-trigger]))') ||
          pressable(e) && inMenu(e) ||
          !done.has(e) && (points(e) || pressable(e)))) {
        if (pressable(e) && e.localName !== 'a' && !inMenu(e)) {
          to = buttons;
          const asks = onTop(e);
          if (rates(e) || asks && never.test(tells(asks))) continue;
        }
        if (pager(e)) to = pages;
        name = ' ' + (says(e) || e.getAttribute('href') || e.alt || e.currentSrc ||
          e.localName + [...attributesOf(e)].map(a => a.value).join(' ')).slice(0, 100);
        if (!/\p{L}/u.test(says(e))) name += ' ' + (mute[e.localName] = (mute[e.localName] || 0) + 1);
      }
      if (!name.trim() || !shown(e) || bodes(e)) continue;
      const own = called.get(e) || '';
      if (own.split('\n')[0] === name) {
        name = own;
      } else if (to !== out) {
        const taken = x => to.has(x) || before.has(x) && before.get(x).isConnected;
        for (let n = 2; taken(name) && n <= 30; n++) name = name.split('\n')[0] + '\n' + n; // a twin
      }
      if (to.has(name)) continue;
      called.set(e, name);
      // the words of a longer link are of an article, and promise nothing
      const leads = a || e.getAttribute('role') === 'link' || inMenu(e);
      const held = never.test(tells(e)) || !leads && orders.test(says(e));
      if (a && says(e).length > 40 || !held) to.set(name, e);
    }
    before = new Map([...out, ...rest, ...buttons, ...pages]);
    return before;
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
      const own = new Map([...attributesOf(n)].filter(a => !/^on/i.test(a.name)).map(a => [a.name, a.value]));
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
        own.set('value', n.value ?? ''); // nor of SVG
        if (n.checked) own.set('checked', '');
      } else if (name === 'option' && n.selected) {
        own.set('selected', '');
      }
      put('<' + name + [...own].map(([k, v]) => ' ' + k + '="' + quoted(v) + '"').join('') + '>');
      if (empty.test(name)) return;
      const root = rootOf(n);
      for (const s of (root || (n === document.documentElement ? document : {})).adoptedStyleSheets || []) sheet(s);
      const given = n.assignedNodes ? n.assignedNodes() : [];
      for (const c of given.length ? given : (root || n).childNodes) write(c, depth + 1);
      put('</' + name + '>');
    };
    put('<!doctype html>');
    write(document.documentElement || nothing, 0);
    return out.join('');
  };
  window.__watershed = {
    markup,
    step: name => {
      const is = {here: location.href, did: 0, away: departed()};
      if (is.away) {
        is.back = goHome();
        return is;
      }
      astray = false;
      lately.length = 0;
      keep();
      is.news = kept.size + met.size;
      try {
        is.did = steps[name]();
      } catch (e) { // other steps may do
        is.failed = String(e);
      }
      return is;
    },
    still: () => {
      clearInterval(timer); // pages that clear all timers clear this one
      timer = setInterval(beats, 50);
      const now = beats();
      // a busy machine tells a page of a scroll a while later, and only then it shows what lies there
      return unheard > 0 && now - scrolled < 1000 ? 0 : now - changed;
    },
    read: whole => {
      const away = whole && departed();
      if (whole && !away) keep();
      const title = titleOf(document).slice(0, 1000);
      const is = {title, ...text(whole, away), links: links(whole, away), here: location.href};
      if (!whole) return is;
      told = {pieces: kept.size, links: met.size, room: (1 << 20) - is.text.length};
      if (home === '') {
        home = placeOf(location.href);
        homeEntry = navigation.currentEntry;
      }
      if (atHome() && !away) {
        homeTitle = title;
        homeText = seenText();
      } else if (!away && replaced()) {
        is.shows = -1;
      }
      is.title = homeTitle;
      return is;
    },
    // what is shown by a frame that the page has written and may not look into: it has no page of its own
    written: () => /^http/.test(location.protocol) ? {} : window.__watershed.read(true),
    // what the page itself has shown since, as things on it were pressed
    later: () => ({
      text: [...kept].slice(told.pieces).join(' ').replace(/\s+/g, ' ').slice(0, Math.max(told.room, 0)),
      links: [...met.values()].slice(told.links),
    }),
    linksTo: address => {
      for (const e of all()) {
        const link = linkOf(e);
        if (link && link.url.split('#')[0] === address) return true;
      }
      return false;
    },
    ways: () => [...ways().keys()],
    walk: name => {
      const e = ways().get(name);
      if (!e) return {taken: false, here: location.href};
      if (!departed()) keep();
      start = location.href;
      entry = index();
      const at = {taken: !e.hasAttribute('href') || bare(e), here: start};
      const after = c => {
        at.taken = at.taken || c.defaultPrevented;
        if (!bare(e) && e.localName !== 'label') c.preventDefault(); // the browser stays
      };
      window.addEventListener('click', after);
      click(e);
      window.removeEventListener('click', after);
      return at;
    },
    back: () => {
      const here = location.href;
      if (here.split('#')[0] === start.split('#')[0]) { // on the page
        if (here === start && !departed()) keep();
        return {here: start, place: here};
      }
      if (index() > entry) history.back(); // else that would leave it
      return {here};
    },
    at: () => {
      fresh = new Set(); // is of the other place, or what the page showed before
      return {here: location.href};
    },
    leave: () => {
      over = true;
    },
    goto: hash => {
      location.hash = hash;
      return 0;
    },
  };
})();
