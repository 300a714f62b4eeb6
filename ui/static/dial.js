// Makes the dial slide from one boundary to the next, and shows a region of the picture that is pressed beside it. Without it the next
// boundaries are links, α is chosen in the table, and regions are links.
const dialled = () => document.querySelector("[data-stops]");
const here = () => location.pathname + location.search;
let wanted = here(), asking = false;

// show replaces what follows the dial by what the wanted address has there.
async function show() {
  if (asking) return; // who asks looks again when the answer is there
  asking = true;
  try {
    for (let shown = ""; shown !== wanted; ) {
      shown = wanted;
      const answer = await fetch(shown);
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      document.getElementById("scale").replaceWith(page.getElementById("scale"));
      document.getElementById("now")?.replaceChildren(...page.getElementById("now").childNodes); // a region that is read out stays
      for (const name of ["at", "region"]) {
        const value = page.querySelector(`input[name="${name}"]`)?.value;
        for (const field of document.querySelectorAll(`input[name="${name}"]`)) if (value !== undefined) field.value = value;
      }
    }
  } finally {
    asking = false;
  }
}

// go has the address of a link shown here, so that Back leads to what was shown before; only what the address asks for may differ.
async function go(link) {
  wanted = link.pathname + link.search;
  await show();
  if (wanted !== here()) history.pushState(null, "", wanted);
  document.getElementById("region")?.focus();
}

const stop = (dial) => JSON.parse(dial.dataset.stops)[dial.value];
const say = (dial) => dial.setAttribute("aria-valuetext", stop(dial).says);

// begin shows the dial of a page that was loaded or renewed.
function begin() {
  const dial = dialled();
  if (!dial) return;
  dial.closest("label").hidden = false;
  say(dial);
}
begin();
document.addEventListener("renewed", begin);
document.addEventListener("input", (event) => {
  const dial = event.target;
  if (dial !== dialled()) return;
  const { at } = stop(dial);
  for (const field of document.querySelectorAll('input[name="at"]')) field.value = String(at);
  say(dial);
  const address = new URL(location.href);
  address.searchParams.set("at", at);
  wanted = address.pathname + address.search;
  show().then(() => history.replaceState(null, "", wanted));
});
document.addEventListener("click", (event) => {
  const link = event.target.closest(".map a, #scale th a");
  const address = link && new URL(link.href?.baseVal ?? link.href, location.href);
  if (!address || event.ctrlKey || event.metaKey || event.shiftKey || event.button || address.pathname !== location.pathname || !/^#(region|scale)$/.test(address.hash)) return;
  event.preventDefault();
  go(address);
});
if (document.querySelector(".map")) addEventListener("popstate", () => {
  wanted = here();
  show();
});
