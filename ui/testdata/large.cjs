// large.cjs measures the views of one site in headless Chromium, and prints what it found as JSON. Times are those that the page
// itself sees, from the beginning of its loading; each view is loaded by a browser that has nothing of it.
//
// "work" is the time that the page's thread was busy, once for each step of the dial.
//
// usage: node large.cjs LAUNCH.cjs LINK PATH-OF-THE-SITE
'use strict';
const { launch } = require(process.argv[2]);
const link = process.argv[3], path = process.argv[4];
const origin = new URL(link).origin;
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

// slide moves the dial through the page's own events, and gives the times until the page follows.
async function slide() {
  const dial = document.querySelector('input[type=range]');
  const times = [];
  for (let value = 0; value <= Number(dial.max); value += Math.ceil(Number(dial.max) / 10)) {
    if (Number(dial.value) === value) continue;
    const was = document.getElementById('scale');
    const begin = performance.now();
    dial.value = value;
    dial.dispatchEvent(new Event('input', { bubbles: true }));
    while (document.getElementById('scale') === was && performance.now() - begin < 3000) await new Promise((done) => setTimeout(done, 1));
    document.body.getBoundingClientRect();
    times.push(performance.now() - begin);
    await new Promise((done) => setTimeout(done, 50));
  }
  return times;
}

(async () => {
  const browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 } });
  const page = await context.newPage();
  await page.goto(link);
  const figures = {};
  const metrics = await context.newCDPSession(page);
  await metrics.send('Performance.enable', { timeDomain: 'threadTicks' }); // what the page's thread does, whatever else the machine does
  const work = async () => (await metrics.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000;
  const paint = async () => {
    const entry = await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]);
    return entry.evaluate((e) => e.startTime);
  };
  const heap = async (name) => {
    await metrics.send('HeapProfiler.collectGarbage');
    const all = Object.fromEntries((await metrics.send('Performance.getMetrics')).metrics.map((m) => [m.name, m.value]));
    figures[`${name}, JavaScript heap, MB`] = all.JSHeapUsedSize / 1e6;
    figures[`${name}, nodes of the document`] = all.Nodes;
  };
  await page.goto(origin + path); // the first to ask has the map read
  figures['site, unread, first paint, ms'] = await paint();
  figures['site, unread, answered, ms'] = await page.evaluate(() => performance.getEntriesByType('navigation')[0].responseEnd);
  await page.goto(origin + path);
  figures['site, first paint, ms'] = await paint();
  figures['site, work of the page, ms'] = await work(); // counted anew for each page
  await heap('site');
  const still = await work();
  const turns = await page.evaluate(slide);
  figures['site, dial, work of the page, ms'] = (await work() - still) / turns.length;
  figures['site, dial, ms'] = median(turns);
  const pressed = await work();
  await page.click('.treemap a');
  await page.waitForSelector('#region');
  figures['site, region, work of the page, ms'] = await work() - pressed;
  await browser.close();
  console.log(JSON.stringify(figures));
})().catch((e) => { console.log(String(e)); process.exit(1); });
