// Makes the dial of the scales slide. Without it α is typed, or chosen in the picture or the table.
const dial = document.querySelector("[data-least]");
if (dial) {
  const most = Number(dial.dataset.most), least = Number(dial.dataset.least);
  const span = Math.log(most / least), steps = Number(dial.max);
  const field = document.querySelector('input[name="at"]');
  const say = () => dial.setAttribute("aria-valuetext", `α ${field.value}`);
  dial.closest("label").hidden = false;
  dial.value = Math.round((steps * Math.log(most / Number(field.value))) / span);
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
    const alpha = most * Math.exp((-span * Number(dial.value)) / steps);
    field.value = String(Math.min(most, Math.max(least, Number(alpha.toPrecision(4)))));
    say();
    document.dispatchEvent(new CustomEvent("scale", { detail: Number(field.value) }));
    show();
  });
}
