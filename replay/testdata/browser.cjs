// browser.cjs opens a hostile archived page in headless Chromium and prints what is wrong: a request that leaves the server, a
// script that runs, a page that cannot be read, a link that does not lead to the view of its target.
//
// usage: node browser.cjs LAUNCH.cjs ADDRESS-OF-THE-VIEW
'use strict';
const { launch } = require(process.argv[2]);
const address = process.argv[3];
const origin = new URL(address).origin;
const wrong = [];
(async () => {
  const browser = await launch();
  const page = await (await browser.newContext()).newPage();
  page.on('request', (r) => { if (!r.url().startsWith(origin + '/') && !r.url().startsWith('data:')) wrong.push(`asks for ${r.url()}`); });
  page.on('dialog', (d) => { wrong.push(`a script ran: ${d.message()}`); d.dismiss(); });
  // The driver's own look into a page without scripts is told on the console; that no script is left in it is tested elsewhere.
  page.on('console', (m) => { if (m.type() === 'error' && !/status of 404|Blocked script execution/.test(m.text())) wrong.push(`console: ${m.text()}`); });
  await page.goto(address, { waitUntil: 'load' });
  const frame = page.frames()[1];
  if (!frame) wrong.push('no frame');
  else {
    await frame.waitForSelector('#one');
    const text = await frame.textContent('body');
    if (!text.includes('The text of 1999') || !text.includes('café')) wrong.push(`the page reads ${text.slice(0, 200)}`);
    await page.waitForTimeout(500); // a refresh of no seconds would have come
    if (!page.url().startsWith(address)) wrong.push(`went to ${page.url()}`);
    await frame.click('text=away');
    await page.waitForLoadState('load');
    if (!/\/view\?.*live\.example/.test(page.url())) wrong.push(`the link led to ${page.url()}`);
    if (!(await page.textContent('body')).includes('not in this archive')) wrong.push('the banner does not say that the target is not held');
  }
  await browser.close();
  for (const line of wrong) console.log(line);
})().catch((e) => { console.log(String(e)); process.exitCode = 1; });
