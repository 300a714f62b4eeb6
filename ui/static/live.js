// Renews the figures of a harvest while its run is under way. Without it the page shows what it showed when it was loaded.
const figures = document.querySelector("[data-events]");
if (figures) {
  const state = document.getElementById("state");
  const source = new EventSource(figures.dataset.events);
  let was = null;
  source.onmessage = (event) => {
    const { live, figures: list } = JSON.parse(event.data);
    for (const { key, value } of list) {
      const place = figures.querySelector(`[data-figure="${key}"]`);
      if (place && place.textContent !== value) place.textContent = value;
    }
    if (live !== was) {
      state.textContent = live ? "The run is under way." : "The run is not under way.";
      was = live;
    }
    if (!live) source.close();
  };
  addEventListener("pagehide", () => source.close());
}
