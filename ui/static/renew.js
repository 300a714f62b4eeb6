// Renews a page on which a harvest begins or runs, or that of machines, every two seconds, while
// nothing on it is in use.
const main = document.getElementById("main");
const moving = () => main.querySelector("[data-renew]");
const busy = () => document.hidden || !getSelection().isCollapsed ||
  main.contains(document.activeElement) && document.activeElement !== main;
const renew = async () => {
  const answer = await fetch(location.href);
  if (!answer.ok || busy()) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const state = (of) => of.querySelector(".where .tag")?.textContent;
  // the run is there, or has ended
  if (page.querySelector("[data-events]") || state(page) !== state(document)) location.reload();
  else main.replaceChildren(...page.getElementById("main").childNodes);
};
// a desk that has ended may come back
setInterval(() => { if (moving() && !busy()) renew().catch(() => {}); }, 2000);
