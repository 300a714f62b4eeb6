// Tells behave.js, in a world of its own, of each shadow tree that the page makes, for those that
// are closed are met nowhere else, of scripts that wait for most of an element to be in view, and
// of those that wait for some seconds. And keeps the page where it is, which it cannot leave for
// what the browser showed before, nor end. All that is used of the page's world is taken before the
// page can change it.
(() => {
  if (window !== window.top) return;
  const {apply, construct} = Reflect;
  const {some} = Array.prototype;
  const {appendChild, removeChild} = Node.prototype;
  const {createElement} = Document.prototype;
  const {dispatchEvent} = EventTarget.prototype;
  const Told = MouseEvent;
  const tell = relatedTarget => apply(dispatchEvent, window, [new Told('watershed-root', {relatedTarget})]);
  Element.prototype.attachShadow = new Proxy(Element.prototype.attachShadow, {
    apply(attach, host, given) {
      const root = apply(attach, host, given);
      const marker = apply(createElement, document, ['i']);
      tell(marker); // that it stands in the tree is seen by its root
      apply(appendChild, root, [marker]);
      tell(null);
      apply(removeChild, root, [marker]);
      return root;
    },
  });
  window.IntersectionObserver = new Proxy(IntersectionObserver, {
    construct(of, given, as) {
      const made = construct(of, given, as);
      if (apply(some, made.thresholds, [x => x > 0.5])) {
        apply(dispatchEvent, window, [new Told('watershed-whole')]);
      }
      return made;
    },
  });
  for (const name of ['setTimeout', 'setInterval']) {
    window[name] = new Proxy(window[name], {
      apply(set, of, given) {
        const detail = +given[1]; // ms
        if (detail >= 1000 && detail <= 8000) {
          apply(dispatchEvent, window, [new Told('watershed-later', {detail})]);
        }
        return apply(set, of, given);
      },
    });
  }
  const first = navigation;
  const least = first.currentEntry ? first.currentEntry.index : 0; // pages that the window showed before
  const stay = (name, by) => {
    History.prototype[name] = new Proxy(History.prototype[name], {
      apply(move, of, given) {
        const at = first.currentEntry;
        if (of !== history || !at || at.index + by(given) >= least) return apply(move, of, given);
      },
    });
  };
  stay('back', () => -1);
  stay('go', given => Math.trunc(given[0]) || 0);
  window.close = new Proxy(window.close, {apply() {}});
})();
