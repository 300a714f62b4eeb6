// compare.cjs opens pages in headless Chromium, each live and as it is replayed, without scripts, and prints as JSON what each
// loaded, how it looked, and what was asked of others than the replay.
//
// usage: node compare.cjs LAUNCH.cjs < {"proxy": "host:port" or "", "resolve": "MAP ...", "pages": [{"url", "view"}]}
'use strict';
const { launch } = require(process.argv.at(-1));
const fs = require('fs');
const task = JSON.parse(fs.readFileSync(0, 'utf8'));
const pause = (ms) => new Promise((r) => setTimeout(r, ms));
const width = 1280, height = 900;

// look runs in a page and tells how it came out.
const look = () => ({
  text: document.body ? document.body.innerText.replace(/\s+/g, ' ').trim() : '',
  height: document.documentElement.scrollHeight,
  // The replay shows objects that are pictures as pictures.
  images: [...document.images].filter((i) => i.complete && i.naturalWidth > 0).length + document.querySelectorAll('object[type^="image/"], embed[type^="image/"]').length,
  broken: [...document.images].filter((i) => i.complete && i.naturalWidth === 0).map((i) => i.currentSrc || i.src),
  fonts: [...document.fonts].filter((f) => f.status === 'loaded').map((f) => f.family).sort(),
  background: document.body ? getComputedStyle(document.body).backgroundColor + ' ' + getComputedStyle(document.body).backgroundImage.replace(/"[^"]*"/g, '') : '',
  family: document.body ? getComputedStyle(document.body).fontFamily : '',
});

// open goes to an address and gives what was asked for on the way.
async function open(context, address) {
  const page = await context.newPage();
  await page.setViewportSize({ width, height });
  const asked = [];
  page.on('response', (r) => asked.push({ url: r.url(), status: r.status(), kind: r.request().resourceType() }));
  page.on('requestfailed', (r) => asked.push({ url: r.url(), status: 0, kind: r.resourceType(), error: (r.failure() || {}).errorText }));
  let error = '';
  try {
    await page.goto(address, { waitUntil: 'load', timeout: 30000 });
  } catch (e) { error = String(e).split('\n')[0]; }
  for (let n = -1; n !== asked.length;) { n = asked.length; await pause(250); }
  return { page, asked, error };
}

(async () => {
  const liveBrowser = await launch({ resolve: task.resolve, proxy: task.proxy });
  const replayBrowser = await launch();
  const live = await liveBrowser.newContext({ javaScriptEnabled: false, ignoreHTTPSErrors: true });
  const replay = await replayBrowser.newContext();
  const results = [];
  for (const job of task.pages) {
    const was = await open(live, job.url);
    const now = await open(replay, job.view);
    const out = { url: job.url, live: { asked: was.asked, error: was.error }, replay: { asked: now.asked, error: now.error } };
    // The frame is a sandbox without scripts, but the driver may look into it.
    const frame = now.page.frames().find((f) => f !== now.page.mainFrame() && f.parentFrame() === now.page.mainFrame());
    try { out.live.look = await was.page.evaluate(look); } catch (e) { out.live.error = String(e).split('\n')[0]; }
    try { if (frame) out.replay.look = await frame.evaluate(look); else out.replay.error ||= 'no frame'; } catch (e) { out.replay.error = String(e).split('\n')[0]; }
    if (task.pictures) {
      const n = String(results.length + 1).padStart(2, '0');
      await was.page.screenshot({ path: `${task.pictures}/${n}-live.png` });
      await now.page.screenshot({ path: `${task.pictures}/${n}-replay.png` });
    }
    await was.page.close();
    await now.page.close();
    results.push(out);
  }
  await liveBrowser.close();
  await replayBrowser.close();
  console.log(JSON.stringify(results));
})().catch((e) => { console.error(String(e)); process.exitCode = 1; });
