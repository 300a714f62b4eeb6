// Draws a graph on a canvas: discs and other shapes on rings, links between them, and the line around what belongs. It knows no
// events and no addresses; graph.js has those. Positions are the server's; this is geometry and paint.

const kinds = ["inside", "pinned", "missing", "pruned", "outside", "excluded"];
const labelled = 60; // names at once, at most
const tried = 300; // nodes whose names are tried, the largest
const drawn = 2000; // links that lead neither in nor out; more would be a grey disc, and take longer than a dial may

// kindOf is what most pages of a node are that belong at a stop or, where none does, of all, and the share of those that belong.
export function kindOf(node, stop) {
  let belong = 0;
  for (const p of node.parts) if (p.at >= 0 && p.at <= stop) belong += p.pages;
  const counts = {};
  for (const p of node.parts) {
    const is = p.at >= 0 && p.at <= stop;
    if (is !== belong > 0) continue;
    const kind = is || p.at < 0 ? p.kind : "outside";
    counts[kind] = (counts[kind] || 0) + p.pages;
  }
  let best = "outside";
  for (const k of kinds) if ((counts[k] || 0) > (counts[best] || 0)) best = k;
  return { kind: best, belong, share: belong / node.pages };
}

// short is a name in forty characters: the beginning of a group's, the end of a page's, which tells it from its neighbours.
function short(n) {
  const letters = [...n.label];
  if (letters.length <= 40) return n.label;
  return n.url ? "…" + letters.slice(-39).join("") : letters.slice(0, 39).join("") + "…";
}

export class Picture {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.data = data;
    this.stop = data.stop;
    this.chosen = -1;
    this.view = { x: 0, y: 0, scale: 1 };
    this.near = data.nodes.map(() => []);
    data.edges.forEach((e, i) => {
      this.near[e.from].push(i);
      this.near[e.to].push(i);
    });
    this.count();
    this.paint();
  }

  // count brings up to date what each node is at the stop.
  count() {
    this.states = this.data.nodes.map((n) => kindOf(n, this.stop));
  }

  // crosses reports an edge that leads from what belongs to what does not, or back.
  crosses(e) {
    return this.states[e.from].belong > 0 !== this.states[e.to].belong > 0;
  }

  // paint reads the colours of the page.
  paint() {
    const style = getComputedStyle(document.documentElement);
    this.colour = {};
    for (const name of [...kinds, "ink", "paper", "edge", "cut", "contour", "focus"]) this.colour[name] = style.getPropertyValue("--" + name).trim();
  }

  // resize takes over the canvas' size on the page. It reports whether it changed.
  resize() {
    const ratio = globalThis.devicePixelRatio || 1;
    const width = Math.round(this.canvas.clientWidth * ratio), height = Math.round(this.canvas.clientHeight * ratio);
    this.ratio = ratio;
    if (width === this.canvas.width && height === this.canvas.height) return false;
    this.canvas.width = width;
    this.canvas.height = height;
    return true;
  }

  // fit shows all.
  fit() {
    const rings = this.data.rings;
    const outer = rings.length ? rings[rings.length - 1].outer + 20 : 1;
    const side = Math.min(this.canvas.width, this.canvas.height);
    this.view = { x: 0, y: 0, scale: Math.min(side / 2 / outer, 3 * this.ratio) };
  }

  // zoom changes the scale around a point of the canvas, in its pixels.
  zoom(factor, x = this.canvas.width / 2, y = this.canvas.height / 2) {
    const [gx, gy] = this.ground(x, y);
    this.view.scale = Math.min(40, Math.max(0.01, this.view.scale * factor));
    const [nx, ny] = this.ground(x, y);
    this.view.x += gx - nx;
    this.view.y += gy - ny;
  }

  // ground is the place of the picture below a point of the canvas.
  ground(x, y) {
    return [this.view.x + (x - this.canvas.width / 2) / this.view.scale, this.view.y + (y - this.canvas.height / 2) / this.view.scale];
  }

  // at is the node at a point of the canvas, -1 for none.
  at(x, y) {
    const [gx, gy] = this.ground(x, y);
    const slack = (4 * this.ratio) / this.view.scale;
    let best = -1, nearest = Infinity;
    this.data.nodes.forEach((n, i) => {
      const d = Math.hypot(n.x - gx, n.y - gy) - n.radius;
      if (d < slack && d < nearest) [best, nearest] = [i, d];
    });
    return best;
  }

  // reveal moves the picture so that a node is seen.
  reveal(i) {
    const n = this.data.nodes[i], v = this.view;
    const w = this.canvas.width / 2 / v.scale - n.radius - 10, h = this.canvas.height / 2 / v.scale - n.radius - 10;
    v.x = Math.min(n.x + Math.max(w, 0), Math.max(n.x - Math.max(w, 0), v.x));
    v.y = Math.min(n.y + Math.max(h, 0), Math.max(n.y - Math.max(h, 0), v.y));
  }

  // toward is the nearest node in a direction of the screen, -1 for none.
  toward(i, dx, dy) {
    const from = this.data.nodes[i];
    let best = -1, least = Infinity;
    this.data.nodes.forEach((n, j) => {
      const x = n.x - from.x, y = n.y - from.y;
      const along = x * dx + y * dy, aside = Math.abs(x * dy - y * dx);
      if (j !== i && along > 0 && aside <= along) {
        const cost = along + 2 * aside;
        if (cost < least) [best, least] = [j, cost];
      }
    });
    return best;
  }

  // draw draws everything.
  draw() {
    const c = this.context, v = this.view;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = this.colour.paper;
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    c.setTransform(v.scale, 0, 0, v.scale, this.canvas.width / 2 - v.x * v.scale, this.canvas.height / 2 - v.y * v.scale);
    this.pixel = this.ratio / v.scale; // of the screen, in units of the picture
    this.drawEdges();
    this.drawContour();
    this.data.nodes.forEach((n, i) => this.drawNode(n, i));
    c.setTransform(1, 0, 0, 1, 0, 0);
    this.drawLabels();
  }

  // line draws edges as one path.
  line(edges, colour, width, alpha, dash = []) {
    const c = this.context, nodes = this.data.nodes;
    c.beginPath();
    for (const e of edges) {
      c.moveTo(nodes[e.from].x, nodes[e.from].y);
      c.lineTo(nodes[e.to].x, nodes[e.to].y);
    }
    c.globalAlpha = alpha;
    c.strokeStyle = colour;
    c.lineWidth = width * this.pixel;
    c.setLineDash(dash.map((x) => x * this.pixel));
    c.stroke();
    c.setLineDash([]);
    c.globalAlpha = 1;
  }

  drawEdges() {
    const within = [], across = [], cut = [];
    for (const e of this.data.edges) (!this.crosses(e) ? within : e.cut ? cut : across).push(e);
    within.length = Math.min(within.length, drawn); // the strongest come first
    const thin = Math.max(0.12, Math.min(0.5, 150 / (1 + within.length)));
    this.line(within, this.colour.edge, 1, thin);
    this.line(across, this.colour.cut, 1, Math.max(0.25, thin), [3, 3]);
    this.line(cut, this.colour.cut, cut.length > 100 ? 1 : 2, 0.9);
    if (this.chosen >= 0) {
      const own = this.near[this.chosen].map((i) => this.data.edges[i]);
      this.line(own.filter((e) => !this.crosses(e)), this.colour.ink, 1.5, 0.9);
      this.line(own.filter((e) => this.crosses(e)), this.colour.cut, 2.5, 1, [6, 2]);
    }
  }

  // contour is the line around what belongs: it follows the rings, and on the last one that has some of both it goes around
  // those that belong.
  contour() {
    const { nodes, rings } = this.data;
    let ring = -1;
    nodes.forEach((n, i) => { if (this.states[i].belong > 0) ring = Math.max(ring, n.ring); });
    if (ring < 0) return [];
    const mixed = nodes.map((n, i) => [Math.atan2(n.y, n.x), this.states[i].belong > 0, n.ring]).filter((x) => x[2] === ring).sort((a, b) => a[0] - b[0]);
    const gap = 2.5, inner = rings[ring].inner + gap, outer = rings[ring].outer + gap;
    if (ring === 0 || mixed.every((x) => x[1])) return [[-Math.PI, Math.PI, outer]];
    return mixed.map((x, i) => {
      const before = i ? mixed[i - 1][0] : mixed[mixed.length - 1][0] - 2 * Math.PI;
      const after = i < mixed.length - 1 ? mixed[i + 1][0] : mixed[0][0] + 2 * Math.PI;
      return [(before + x[0]) / 2, (x[0] + after) / 2, x[1] ? outer : inner];
    });
  }

  drawContour() {
    const c = this.context, arcs = this.contour();
    if (!arcs.length) return;
    c.beginPath();
    for (const [from, to, r] of arcs) c.arc(0, 0, r, from, to); // consecutive arcs are joined by straight lines
    c.closePath();
    c.globalAlpha = 0.08;
    c.fillStyle = this.colour.contour;
    c.fill();
    c.globalAlpha = 1;
    c.strokeStyle = this.colour.contour;
    c.lineWidth = 2.5 * this.pixel;
    c.setLineDash([6 * this.pixel, 4 * this.pixel]);
    c.stroke();
    c.setLineDash([]);
  }

  // outline makes the path of a shape around a place; the legend has the same.
  outline(kind, x, y, r) {
    const c = this.context;
    c.beginPath();
    switch (kind) {
      case "pinned":
        c.moveTo(x, y - r); c.lineTo(x + r, y); c.lineTo(x, y + r); c.lineTo(x - r, y); c.closePath();
        break;
      case "pruned":
        c.moveTo(x, y - r); c.lineTo(x + 0.87 * r, y + 0.5 * r); c.lineTo(x - 0.87 * r, y + 0.5 * r); c.closePath();
        break;
      case "outside":
        c.rect(x - 0.75 * r, y - 0.75 * r, 1.5 * r, 1.5 * r);
        break;
      case "excluded":
        c.moveTo(x - 0.7 * r, y - 0.7 * r); c.lineTo(x + 0.7 * r, y + 0.7 * r); c.moveTo(x + 0.7 * r, y - 0.7 * r); c.lineTo(x - 0.7 * r, y + 0.7 * r);
        break;
      default:
        c.arc(x, y, r, 0, 2 * Math.PI);
    }
  }

  drawNode(n, i) {
    const c = this.context, { kind, share } = this.states[i];
    this.outline(kind, n.x, n.y, n.radius);
    if (kind !== "excluded") {
      c.fillStyle = kind === "missing" ? this.colour.paper : this.colour[kind];
      c.fill();
    }
    c.strokeStyle = this.colour.ink;
    c.lineWidth = kind === "excluded" ? n.radius / 4 : 1.25 * this.pixel;
    c.setLineDash(kind === "missing" ? [3 * c.lineWidth, 2 * c.lineWidth] : []);
    c.stroke();
    c.setLineDash([]);
    if (share > 0 && share < 1 && n.radius / this.pixel > 4) { // how much of it belongs
      c.beginPath();
      c.moveTo(n.x, n.y);
      c.arc(n.x, n.y, 0.72 * n.radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
      c.closePath();
      c.fillStyle = this.colour.ink;
      c.globalAlpha = 0.35;
      c.fill();
      c.globalAlpha = 1;
    }
    if (i === this.chosen) {
      c.beginPath();
      c.arc(n.x, n.y, n.radius + 3 * this.pixel, 0, 2 * Math.PI);
      c.strokeStyle = this.colour.focus;
      c.lineWidth = 3 * this.pixel;
      c.stroke();
    }
  }

  // covers reports whether a box of the canvas hides the middle of a node other than one.
  covers(one, box) {
    const [x0, y0] = this.ground(box[0], box[1]), [x1, y1] = this.ground(box[2], box[3]);
    return this.data.nodes.some((n, i) => i !== one && n.x > x0 && n.x < x1 && n.y > y0 && n.y < y1);
  }

  // drawLabels names the chosen node, and the largest others whose names have room.
  drawLabels() {
    const c = this.context, v = this.view, size = 12 * this.ratio;
    c.font = `${size}px system-ui, sans-serif`;
    c.textBaseline = "middle";
    c.direction = "ltr";
    const taken = [];
    const order = this.data.nodes.map((n, i) => i).sort((a, b) => (b === this.chosen) - (a === this.chosen) || this.data.nodes[b].radius - this.data.nodes[a].radius || a - b);
    const room = (i, box) => !taken.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3]) && !this.covers(i, box);
    for (const i of order.slice(0, tried)) {
      if (taken.length === labelled) break;
      const n = this.data.nodes[i];
      if (i !== this.chosen && n.radius / this.pixel < 5) break; // smaller ones follow
      const x = this.canvas.width / 2 + (n.x - v.x) * v.scale, y = this.canvas.height / 2 + (n.y - v.y) * v.scale;
      if (x < 0 || y < 0 || x > this.canvas.width || y > this.canvas.height) continue;
      const text = i === this.chosen ? n.label : short(n);
      const w = c.measureText(text).width, at = Math.max(2, Math.min(x + n.radius * v.scale + 4 * this.ratio, this.canvas.width - w - 2));
      const box = [at, y - 0.7 * size, at + w, y + 0.7 * size];
      if (i !== this.chosen && !room(i, box)) continue;
      taken.push(box);
      c.globalAlpha = 0.8;
      c.fillStyle = this.colour.paper;
      c.fillRect(box[0] - 2, box[1], w + 4, box[3] - box[1]);
      c.globalAlpha = 1;
      c.fillStyle = this.colour.ink;
      c.fillText(text, at, y);
    }
  }
}
