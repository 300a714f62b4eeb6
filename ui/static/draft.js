// Writes the YAML of what is pasted while it is typed, and tells what is wrong with the YAML. What was changed in it by hand is not
// written over: the button does that.
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
