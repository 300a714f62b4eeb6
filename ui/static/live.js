// Follows a run that is under way: renews the figures of its harvest, and the page once the run shows itself as it stands now. Nothing
// is renewed under the hands of who reads: while something on the page has the focus, is marked or was typed into, it only says that a
// newer state is there. Without it the page shows what it showed when it was loaded. Where nothing is heard of a run under way any more,
// because the desk, the session or the way to it is gone or the machine has slept, the page says so, and asks again until it is answered.
const watch = document.querySelector("[data-events]");
if (watch) {
  const main = document.getElementById("main");
  const state = watch.querySelector("[data-live]"), newer = watch.querySelector("[data-newer]"), follow = watch.querySelector("[data-follow]");
  const silence = 30000, again = 5000; // milliseconds; a run under way tells something each second
  let source, timer, heard = Date.now(), deaf = false, live = null, latest = watch.dataset.stamp, asking = false;

  const say = (place, text) => {
    if (place && place.textContent !== text) place.textContent = text;
  };
  const busy = () =>
    main.contains(document.activeElement) && document.activeElement !== main || !getSelection().isCollapsed ||
    [...main.querySelectorAll("input, select, textarea")].some((e) => e.value !== (e.defaultValue ?? e.querySelector("[selected]")?.value ?? e.options[0]?.value) || e.checked !== e.defaultChecked);

  // What was opened, and how far lists were moved, stays.
  const renew = (page) => {
    const opened = [...main.querySelectorAll("details")].map((e) => e.open);
    const moved = [...main.querySelectorAll(".scroll")].map((e) => [e.scrollLeft, e.scrollTop]);
    main.replaceChildren(...page.getElementById("main").childNodes);
    main.querySelectorAll("details").forEach((e, i) => { if (i in opened) e.open = opened[i]; });
    main.querySelectorAll(".scroll").forEach((e, i) => { if (i in moved) [e.scrollLeft, e.scrollTop] = moved[i]; });
    document.dispatchEvent(new Event("renewed"));
    const tag = page.querySelector(".where .tag"), now = page.querySelector("[data-events]");
    say(document.querySelector(".where .tag"), tag?.textContent);
    if (!now) watch.hidden = true; // what it told of is over, and the page says how it ended
    watch.dataset.stamp = now && live ? now.dataset.stamp : latest; // nothing newer comes of a run that is over
    say(watch.querySelector("[data-asof]"), now?.querySelector("[data-asof]")?.textContent ?? "");
    const acts = now?.querySelector("[data-acts]");
    if (acts) watch.querySelector("[data-acts]")?.replaceChildren(...acts.childNodes);
    else if (!live) watch.querySelector(".now")?.remove(); // a run that is over takes no orders
  };
  const catchUp = async () => {
    const behind = latest !== watch.dataset.stamp;
    newer.hidden = !behind;
    if (!behind || asking || !follow?.checked || busy()) return;
    asking = true;
    try {
      const answer = await fetch(location.href);
      const page = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
      if (page && follow.checked && !busy()) {
        renew(page);
        newer.hidden = latest === watch.dataset.stamp;
      }
    } finally {
      asking = false;
    }
  };
  const lost = () => {
    source.close();
    clearTimeout(timer);
    timer = setTimeout(listen, again);
    say(state, `${state.dataset.lost} ${new Date(heard).toISOString().slice(11, 19)} UTC.`);
    deaf = true;
  };
  const told = (event) => {
    const now = JSON.parse(event.data);
    heard = Date.now();
    clearTimeout(timer);
    for (const { key, value } of now.figures) for (const place of document.querySelectorAll(`[data-figure="${key}"]`)) say(place, value);
    if (deaf || now.live !== live && (live !== null || now.live)) say(state, now.live ? state.dataset.live : state.dataset.over);
    if (live && !now.live) latest = "over"; // what was delivered is to be seen
    else if (now.live) latest = now.present || latest;
    live = now.live;
    deaf = false;
    catchUp();
    watch.dataset.told = "yes";
    if (live) timer = setTimeout(lost, silence);
    else if (now.ended) source.close(); // a run that was held up, as by a machine that slept, may go on
  };
  const listen = () => {
    source = new EventSource(watch.dataset.events);
    source.onmessage = told;
    source.onerror = lost;
    timer = setTimeout(lost, silence);
  };
  listen();
  if (follow) {
    follow.closest("label").hidden = false;
    follow.checked = sessionStorage.getItem("follow") !== "no";
    follow.addEventListener("change", () => {
      sessionStorage.setItem("follow", follow.checked ? "yes" : "no");
      catchUp();
    });
  }
  addEventListener("pagehide", () => source.close());
}
