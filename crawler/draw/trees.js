// Tells behave.js, in a world of its own, of each shadow tree that the page makes: those that are closed
// are met nowhere else. And keeps the page where it is, which it cannot leave for what the browser showed
// before, nor end. What is used of the page's world is taken before the page can change it.
(() => {
  if (window !== window.top) return;
  const {apply} = Reflect;
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
