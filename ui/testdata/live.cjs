// live.cjs looks at a harvest that is under way in headless Chromium, and prints what is wrong: views that do not answer or do not say
// how old they are, pages that are not renewed, or that are while somebody has the focus in them, links that a renewal takes away, pages
// wider than a narrow window, and what axe-core finds serious.
//
// usage: node live.cjs LAUNCH.cjs LINK ADDRESS-OF-HARVEST [FOLDER-FOR-PICTURES]
'use strict';
const { launch, axe } = require(process.argv[2]);
const link = process.argv[3], root = process.argv[4], pictures = process.argv[5];
const origin = new URL(link).origin;
const wrong = [];

// judge runs in the page.
async function judge() {
  const found = await axe.run(document, { resultTypes: ['violations'], iframes: false });
  return found.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 160)}`);
}

(async () => {
  const browser = await launch();
  const page = await browser.newPage();
  await page.addInitScript(axe);
  let at = '';
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) wrong.push(`${at}: console: ${m.text()}`); });
  page.on('pageerror', (e) => wrong.push(`${at}: ${e}`));
  await page.goto(link);
  const stamp = () => page.getAttribute('[data-events]', 'data-stamp');
  const picture = async (name) => { if (pictures) await page.screenshot({ path: `${pictures}/live-${name}.png`, fullPage: true }); };

  // Every view answers, and says how old it is.
  at = 'sites';
  await page.goto(`${origin}${root}/sites`);
  const sites = await page.$$eval('main tbody th a', (list) => list.map((a) => a.getAttribute('href')));
  if (!sites.length) wrong.push('sites: none');
  const views = { harvest: root, sites: `${root}/sites`, skipped: `${root}/skipped` };
  if (sites.length) Object.assign(views, { site: sites[0] });
  for (const [name, path] of Object.entries(views)) {
    at = name;
    const begun = Date.now();
    const answer = await page.goto(origin + path);
    if (answer.status() !== 200) wrong.push(`${name}: status ${answer.status()}`);
    const told = await page.textContent('[data-events]');
    if (!/The run is under way\./.test(told) || !/This is how it stood at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, after [\d\u202f]+ URLs\./.test(told)) wrong.push(`${name}: says ${told}`);
    if (Date.now() - begun > 5000) wrong.push(`${name}: took ${Date.now() - begun} ms`);
    await picture(name);
    for (const [width, colorScheme] of [[360, 'dark'], [1280, 'light']]) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      for (const problem of await page.evaluate(judge)) wrong.push(`${name} at ${width}: axe: ${problem}`);
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wrong.push(`${name}: wider than ${width}`);
      if (pictures && width === 360) await page.screenshot({ path: `${pictures}/live-${name}-360.png` });
    }
  }

  // Live numbers take no link and no button away: what the page came with is there after the first of them.
  at = 'numbers';
  await page.goto(origin + root);
  await page.uncheck('[data-follow]');
  await page.waitForSelector('[data-told]');
  const [was, is] = await page.evaluate(async () => {
    const served = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html');
    const names = (d) => [...d.querySelectorAll('main p a, main button, header a')].map((e) => e.textContent);
    return [names(served), names(document)];
  });
  if (was.join('|') !== is.join('|')) wrong.push(`numbers: ${was} became ${is}`);

  // A page is not renewed under somebody's hands, and says that it could be; it is once it is left alone, and keeps what was opened.
  at = 'renewal';
  await page.goto(`${origin}${views.site || views.sites}`);
  await page.check('[data-follow]');
  await page.evaluate(() => { window.kept = true; const d = document.querySelector('main details'); if (d) d.open = !d.open; });
  const opened = await page.evaluate(() => [...document.querySelectorAll('main details')].map((d) => d.open).join());
  await page.focus('main a[href]');
  const before = await stamp();
  await page.waitForFunction(() => !document.querySelector('[data-newer]').hidden, null, { timeout: 60000 });
  if ((await stamp()) !== before) wrong.push('renewal: while a link had the focus');
  if (!(await page.evaluate(() => document.activeElement.matches('main a[href]')))) wrong.push('renewal: the focus was lost');
  await page.evaluate(() => document.activeElement.blur());
  await page.waitForFunction((before) => document.querySelector('[data-events]').dataset.stamp !== before, before, { timeout: 60000 });
  if (!(await page.evaluate(() => window.kept))) wrong.push('renewal: the page was loaded anew');
  if (opened !== await page.evaluate(() => [...document.querySelectorAll('main details')].map((d) => d.open).join())) wrong.push('renewal: what was opened is closed');
  if (!(await page.$('main h1'))) wrong.push('renewal: the page is empty');
  await browser.close();
  for (const line of wrong) console.log(line);
})().catch((e) => { console.log(String(e)); for (const line of wrong) console.log(line); process.exit(1); });
