// Writes the YAML of what is pasted while it is typed, tells what is wrong with the YAML, and completes it. What was changed in it by hand
// is not written over: the button does that.
const form = document.querySelector("[data-draft]");
const yaml = form.elements.yaml, told = form.querySelector("[data-told]");
let own = yaml.value !== "" && !form.elements.pasted, waiting, asked = 0;

const part = (name, text, className) => {
  const e = document.createElement(name);
  e.textContent = text;
  if (className) e.className = className;
  return e;
};
const list = (items, className) => {
  const ul = part("ul", "", className);
  ul.append(...items);
  return ul;
};
const mark = (line) => {
  const from = yaml.value.split("\n").slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
  yaml.focus();
  yaml.setSelectionRange(from, from + yaml.value.split("\n")[line - 1].length);
};
const fault = (f) => {
  const li = part("li", "");
  if (f.line) {
    const b = part("a", f.where);
    b.href = "#";
    b.addEventListener("click", (event) => { event.preventDefault(); mark(f.line); });
    li.append(b, " ");
  } else if (f.where) li.append(part("strong", f.where), " ");
  li.append(f.text);
  if (f.source) li.append(" ", part("code", f.source.trim()));
  if (f.hint) li.append(" ", part("em", f.hint));
  return li;
};
const tell = (answer) => {
  told.replaceChildren();
  if (answer.right) told.append(part("p", answer.right, "right"));
  if (answer.faults.length) told.append(list(answer.faults.map(fault), "faults"));
  if (answer.notes.length) told.append(part("p", "Without an equal here, or to be looked at:"), list(answer.notes.map((n) => part("li", n))));
};
const ask = async (write) => {
  const mine = ++asked, body = new URLSearchParams(new FormData(form));
  body.set("do", write ? "write" : "check");
  const answer = await fetch("/new/check", { method: "POST", body });
  if (!answer.ok || mine !== asked) return;
  const x = await answer.json();
  if (write && x.yaml && !own) yaml.value = x.yaml;
  tell(x);
};
form.addEventListener("input", (event) => {
  const typed = event.target === yaml;
  if (typed) own = yaml.value !== "";
  if (!typed && !form.elements.pasted.value.trim()) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => ask(!typed && !own).catch(() => {}), 300); // the buttons do the same without it
});

// The schema of the YAML says which keys and values may stand at the cursor.
const offered = form.querySelector("[data-offered]");
const row = (line) => /^(\s*)((?:- +)*)([\w-]*)(\s*:)?(.*)$/.exec(line);
const inner = (node) => {
  while (node && node.items) node = node.items;
  return node;
};
// at gives what the schema has on the mapping in which the cursor stands, and what is typed there.
const at = (schema) => {
  const lines = yaml.value.slice(0, yaml.selectionStart).split("\n"), typed = row(lines.pop()), path = [];
  if (!typed || yaml.selectionStart !== yaml.selectionEnd) return null;
  const column = typed[1].length + typed[2].length;
  for (let i = lines.length - 1, left = column; left > 0 && i >= 0; i--) {
    const r = row(lines[i]), from = r && r[1].length + r[2].length;
    if (!r || !r[3] || !r[4] || from >= left) continue;
    path.unshift(r[3]);
    left = from;
  }
  const node = path.reduce((n, key) => inner(n && n.properties && n.properties[key]), schema);
  const rest = typed[5];
  if (!node || !node.properties || !typed[4] && rest) return null;
  return { node, column, key: typed[3], value: typed[4] ? rest.trimStart() : null };
};
const values = (of) => of.enum || (of.type === "boolean" ? ["true", "false"] : []);
const put = (word, text) => {
  const end = yaml.selectionEnd, more = /^[\w-]*/.exec(yaml.value.slice(end))[0].length;
  yaml.focus();
  yaml.setRangeText(text, end - word.length, end + more, "end");
  yaml.dispatchEvent(new Event("input", { bubbles: true }));
};
const behind = (of, column) => {
  const below = "\n" + " ".repeat(column + 2);
  if (of.type === "array") return below + "- ";
  return of.properties ? below : " ";
};
const offer = (schema) => {
  const x = at(schema);
  offered.replaceChildren();
  if (!x) return;
  const own = x.node.properties[x.key], word = x.value === null ? x.key : x.value;
  const fits = x.value === null ? Object.keys(x.node.properties) : values(own || {});
  const list = fits.filter((f) => f.startsWith(word) && f !== word);
  if (own) offered.append(part("p", own.description || ""));
  offered.append(...list.slice(0, 24).map((f) => {
    const b = part("button", f), of = x.node.properties[f];
    b.type = "button";
    b.addEventListener("click", () => put(word, x.value === null ? `${f}:${behind(of, x.column)}` : f));
    return b;
  }));
};
let known;
const look = async () => {
  known ||= fetch("/static/schema.json").then((answer) => answer.json());
  offer(await known);
};
for (const event of ["input", "keyup", "click", "focus"]) yaml.addEventListener(event, () => look().catch(() => { known = null; }));
