// Makes the dial slide from one boundary to the next. Without it the next ones are links, and α is typed, or chosen in the picture or
// the table.
const dial = document.querySelector("[data-stops]");
if (dial) {
  const stops = JSON.parse(dial.dataset.stops);
  const field = document.querySelector('input[name="at"]');
  const say = () => dial.setAttribute("aria-valuetext", stops[dial.value].says);
  dial.closest("label").hidden = false;
  say();
  let asking = false;
  const show = async () => {
    if (asking) return; // who asks looks again when the answer is there
    asking = true;
    try {
      for (let shown = ""; shown !== field.value; ) {
        shown = field.value;
        const address = new URL(location.href);
        address.searchParams.set("at", shown);
        const answer = await fetch(address);
        if (!answer.ok) break;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        document.getElementById("scale").replaceWith(page.getElementById("scale"));
        document.getElementById("now")?.replaceChildren(...page.getElementById("now").childNodes); // a region that is read out stays
        history.replaceState(null, "", address);
      }
    } finally {
      asking = false;
    }
  };
  dial.addEventListener("input", () => {
    field.value = String(stops[dial.value].at);
    say();
    document.dispatchEvent(new CustomEvent("scale", { detail: Number(field.value) }));
    show();
  });
}
