// Makes the graph of a site: fetches its model, lets it be looked at by pointer and keys, follows the dial, and tells why a node
// is in or out. Without it the table below has the same.
import { Picture } from "./picture.js";

const place = document.querySelector("[data-graph]");
const names = {
  inside: "inside", pinned: "inside by a rule", missing: "belongs, not captured", pruned: "left out as a copy",
  outside: "outside", excluded: "kept out by a rule",
};

// element makes an element of texts and elements.
function element(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

const number = (x) => Number(x.toPrecision(3)).toString();

class Desk {
  constructor(data) {
    this.data = data;
    this.canvas = place.querySelector("canvas");
    this.told = document.getElementById("told");
    this.picture = new Picture(this.canvas, data);
    this.picture.resize();
    this.picture.fit();
    this.listen();
    this.draw();
  }

  // draw draws once before the next frame, however often it is asked to.
  draw() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => {
      this.due = 0;
      this.picture.draw();
      place.dataset.drawn = String(performance.now());
    });
  }

  listen() {
    const p = this.picture, c = this.canvas;
    new ResizeObserver(() => {
      if (p.resize()) { p.fit(); this.draw(); }
    }).observe(c);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { p.paint(); this.draw(); });
    document.addEventListener("scale", (event) => this.slide(event.detail));
    c.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== c) return; // else the page scrolls
      event.preventDefault();
      p.zoom(Math.exp(-event.deltaY / 300), ...this.point(event));
      this.draw();
    }, { passive: false });
    this.listenPointer();
    c.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.key(event.key)) event.preventDefault();
    });
    for (const b of place.querySelectorAll("[data-do]")) b.addEventListener("click", () => this.key({ in: "+", out: "-", fit: "0" }[b.dataset.do]));
  }

  listenPointer() {
    const p = this.picture, c = this.canvas, down = new Map();
    let moved = 0, apart = 0;
    c.addEventListener("pointerdown", (event) => {
      c.setPointerCapture(event.pointerId);
      down.set(event.pointerId, [event.clientX, event.clientY]);
      moved = apart = 0;
    });
    c.addEventListener("pointermove", (event) => {
      const was = down.get(event.pointerId);
      if (!was) {
        const i = p.at(...this.point(event));
        c.style.cursor = i < 0 ? "grab" : "pointer";
        c.title = i < 0 ? "" : this.data.nodes[i].label;
        return;
      }
      const dx = event.clientX - was[0], dy = event.clientY - was[1];
      down.set(event.pointerId, [event.clientX, event.clientY]);
      moved += Math.abs(dx) + Math.abs(dy);
      if (down.size === 2) {
        const [a, b] = [...down.values()], d = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (apart) p.zoom(d / apart);
        apart = d;
      } else if (moved > 4) {
        p.view.x -= (dx * p.ratio) / p.view.scale;
        p.view.y -= (dy * p.ratio) / p.view.scale;
      }
      this.draw();
    });
    const up = (event) => {
      if (down.delete(event.pointerId) && event.type === "pointerup" && moved <= 4) this.choose(p.at(...this.point(event)));
    };
    c.addEventListener("pointerup", up);
    c.addEventListener("pointercancel", up);
    c.addEventListener("dblclick", (event) => this.open(p.at(...this.point(event))));
  }

  // point is where an event is on the canvas.
  point(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * this.picture.ratio, (event.clientY - box.top) * this.picture.ratio];
  }

  // key does what a key is for. It reports whether it is for anything.
  key(key) {
    const p = this.picture, way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (way) {
      const next = p.chosen < 0 ? 0 : p.toward(p.chosen, ...way);
      if (next >= 0 && next < this.data.nodes.length) this.choose(next, true);
      return true;
    }
    switch (key) {
      case "+": case "=": p.zoom(1.4); break;
      case "-": p.zoom(1 / 1.4); break;
      case "0": p.fit(); break;
      case "Home": this.choose(0, true); break;
      case "Escape": this.choose(-1); break;
      case "Enter": case " ": if (p.chosen >= 0) this.tell(p.chosen); break;
      case "o": case "O": this.open(p.chosen); break;
      default: return false;
    }
    this.draw();
    return true;
  }

  // slide follows the dial to a value of α.
  slide(alpha) {
    const stop = this.data.stops.findIndex((s) => alpha >= s.least);
    if (stop < 0 || stop === this.picture.stop) return;
    this.picture.stop = stop;
    this.picture.count();
    this.draw();
  }

  choose(i, brief = false) {
    this.picture.chosen = i;
    if (i >= 0) {
      this.picture.reveal(i);
      if (brief) this.told.replaceChildren(this.heading(i));
      else this.tell(i);
    }
    this.draw();
  }

  open(i) {
    const group = i >= 0 ? this.data.nodes[i].group : undefined;
    if (group !== undefined) location.assign(place.dataset.open.replace("NUMBER", String(group)));
  }

  // heading says in a line what a node is.
  heading(i) {
    const n = this.data.nodes[i], { kind, belong } = this.picture.states[i];
    const what = n.pages === 1 ? names[kind] : `${names[kind]}, ${belong} of ${n.pages} pages belong`;
    return element("h2", {}, element("bdi", {}, n.label), " ", element("span", { class: "tag" }, what));
  }

  // tell tells why a node is in or out.
  tell(i) {
    const n = this.data.nodes[i];
    const parts = [this.heading(i)];
    if (n.why) parts.push(element("p", {}, element("bdi", {}, n.why), "."));
    const since = n.parts.find((x) => x.at >= 0), stops = this.data.stops;
    if (stops.length) parts.push(element("p", {}, since ? (since.at ? `It comes in at α below ${number(stops[since.at].most)}.` : "It belongs at every scale.") : "It belongs at no scale that is known."));
    if (n.mcl.in + n.mcl.out) parts.push(element("p", {}, `Clusters (MCL): ${n.mcl.in} of its pages in the site's cluster, ${n.mcl.out} in others.`));
    if (n.cut) parts.push(element("p", {}, `Edges of the cut at it carry ${number(n.cut)}.`));
    const list = this.crossing(i);
    if (list.length) parts.push(element("p", {}, "Links of it across the boundary:"), element("ul", {}, ...list));
    if (n.group !== undefined) parts.push(element("p", {}, element("a", { href: place.dataset.open.replace("NUMBER", String(n.group)) }, "Open its pages")));
    this.told.replaceChildren(...parts);
    if (n.url) this.explain(i, n.url);
  }

  // crossing lists the dearest links of a node that lead over the boundary.
  crossing(i) {
    const p = this.picture;
    const list = p.near[i].map((k) => this.data.edges[k]).filter((e) => p.crosses(e)).sort((a, b) => (b.cut || 0) - (a.cut || 0) || b.links - a.links);
    return list.slice(0, 10).map((e) => {
      const [way, other] = e.from === i ? ["to", e.to] : ["from", e.from];
      return element("li", { class: "long" }, `${way} `, element("bdi", {}, this.data.nodes[other].label), `: ${e.links} links${e.cut ? `, capacity ${number(e.cut)}` : ""}`);
    });
  }

  // explain adds what the page of explanations has of a URL.
  async explain(i, url) {
    const answer = await fetch(place.dataset.explain.replace("ADDRESS", encodeURIComponent(url)));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const text = page.getElementById(answer.ok ? "explanation" : "main");
    if (this.picture.chosen === i && text) {
      text.id = "explained";
      this.told.append(document.importNode(text, true));
    }
  }
}

if (place && document.createElement("canvas").getContext("2d")) {
  const answer = await fetch(place.dataset.graph);
  if (answer.ok) {
    const data = await answer.json();
    place.hidden = false;
    new Desk(data);
  }
}
