// browser.cjs looks at every view of a desk in headless Chromium, at two widths, each dark and light, and prints what is wrong: errors
// on the console, requests off the origin, pages wider than the window, texts of too little contrast, controls without a name,
// stops of the Tab key that are not seen, and what axe-core finds serious.
//
// usage: node browser.cjs LAUNCH.cjs LINK PATHS [FOLDER-FOR-PICTURES]
'use strict';
const { launch, axe } = require(process.argv[2]);
const link = process.argv[3];
const paths = JSON.parse(process.argv[4]);
const pictures = process.argv[5];
const origin = new URL(link).origin;
const wrong = [];

// look runs in the page.
function look() {
  const problems = [];
  const channel = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const luminance = (c) => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const colour = (text) => (/rgba?\(([^)]*)\)/.exec(text) || [, '0,0,0,0'])[1].split(',').map(Number);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = colour(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const seen = new Set();
  for (const e of document.querySelectorAll('body *')) {
    const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!text || !e.getClientRects().length || e.closest('svg')) continue;
    const style = getComputedStyle(e);
    const a = luminance(colour(style.color)), b = luminance(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const name = `${e.tagName}.${e.className}`;
    if (ratio < 4.5 && !seen.has(name)) { seen.add(name); problems.push(`contrast ${ratio.toFixed(2)} of ${name}`); }
  }
  for (const rect of document.querySelectorAll('svg.treemap a rect:not(.pattern)')) {
    const label = document.querySelector('svg.treemap text.dir');
    if (!label) break;
    const a = luminance(colour(getComputedStyle(label).fill)), b = luminance(colour(getComputedStyle(rect).fill));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) { problems.push(`contrast ${ratio.toFixed(2)} of a label on ${rect.className.baseVal}`); break; }
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push(`${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
  for (const e of document.querySelectorAll(innerWidth < 1000 ? '.scroll:has(.cards)' : '.scroll:not(.picture)')) {
    if (e.scrollWidth > e.clientWidth + 1) problems.push(`the table ${e.getAttribute('aria-label')} is cut: ${e.scrollWidth} wide in ${e.clientWidth}`);
  }
  for (const e of document.querySelectorAll('a, button, input:not([type=hidden]), summary')) {
    const name = (e.getAttribute('aria-label') || e.textContent || (e.labels && e.labels[0] && e.labels[0].textContent) || '').trim();
    if (!name && !e.closest('svg')) problems.push(`${e.tagName} without a name`);
  }
  return problems;
}

// framed reports a request that a frame of the replay makes of the replay: both are on one host, and apart by their ports.
const framed = (r) => r.frame().parentFrame() && /^http:\/\/127\.0\.0\.1:\d+\/[A-Z2-7]{26}\/gemo\/page\?/.test(r.url());

// judge runs in the page.
async function judge() {
  const found = await axe.run(document, { resultTypes: ['violations'], iframes: false });
  return found.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id} (${v.impact}): ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`);
}

(async () => {
  const browser = await launch();
  const context = await browser.newContext();
  await context.addInitScript(axe);
  const page = await context.newPage();
  let at = '';
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type()) && !/Blocked script execution/.test(m.text())) wrong.push(`${at}: console: ${m.text()}`); });
  page.on('pageerror', (e) => wrong.push(`${at}: ${e}`));
  page.on('response', (r) => { if (r.status() >= 400) wrong.push(`${at}: status ${r.status()} of ${r.url()}`); });
  page.on('dialog', (d) => { wrong.push(`${at}: a script of the web ran: ${d.message()}`); d.dismiss(); });
  page.on('request', (r) => { if (!r.url().startsWith(origin + '/') && !framed(r)) wrong.push(`${at}: asks for ${r.url()}`); });
  await page.goto(link);
  // Each view is loaded once, and follows the window's width and the person's colours.
  for (const [name, path] of Object.entries(paths)) {
    at = name;
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    const answer = await page.goto(origin + path);
    if (answer.status() !== 200) wrong.push(`${at}: status ${answer.status()}`);
    for (const [width, colorScheme, judged] of [[1280, 'light', true], [1280, 'dark'], [390, 'dark', true], [390, 'light']]) {
      at = `${name} at ${width}, ${colorScheme}`;
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      for (const problem of await page.evaluate(look)) wrong.push(`${at}: ${problem}`);
      if (judged) for (const problem of await page.evaluate(judge)) wrong.push(`${at}: axe: ${problem}`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  // By keyboard: the first stop is the link to the content, which leads there; every stop is seen; none is a trap, and all that can
  // be reached by Tab is reached.
  for (const [name, path] of Object.entries(paths)) {
    at = `keyboard, ${name}`;
    await page.goto(origin + path);
    const expected = await page.evaluate(() => {
      let n = 0;
      for (const e of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')) {
        if (e.tabIndex >= 0 && !e.disabled && e.getClientRects().length && (e.tagName === 'SUMMARY' || !e.closest('details:not([open])'))) n++;
      }
      return n;
    });
    let stops = 0;
    for (; stops < expected; stops++) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const e = document.activeElement, style = getComputedStyle(e);
        const frame = e.tagName === 'IFRAME'; // its own stops are the page's that it shows
        const again = e.hasAttribute('data-stop') && !frame;
        e.setAttribute('data-stop', '');
        const seen = frame || parseFloat(style.outlineWidth) >= 2 && style.outlineStyle !== 'none' || e instanceof SVGElement && e.getClientRects().length > 0;
        return { text: (e.getAttribute('aria-label') || e.textContent).trim().slice(0, 60), tag: e.tagName, seen, again, body: e === document.body };
      });
      if (stops === 0 && stop.text !== 'To the content') wrong.push(`${at}: the first stop is ${stop.text}`);
      if (stop.body || stop.again) { wrong.push(`${at}: stop ${stops} of ${expected} is ${stop.body ? 'none' : 'a trap'} (${stop.tag} ${stop.text})`); break; }
      if (!stop.seen) wrong.push(`${at}: stop ${stops} (${stop.tag} ${stop.text}) is not seen`);
    }
    await page.goto(origin + path);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    if (!(await page.evaluate(() => document.activeElement.id === 'main'))) wrong.push(`${at}: the link to the content does not lead there`);
  }
  // The picture to print has its colours.
  at = 'picture to print';
  if (paths.site) {
    await page.goto(origin + paths.site);
    await page.click('a[href*="picture.svg"]');
    await page.waitForURL(/picture\.svg/);
    const paper = await page.$eval('rect.head', (e) => getComputedStyle(e).fill);
    if (paper !== 'rgb(255, 255, 255)') wrong.push(`${at}: the paper is ${paper}`);
  }
  // The dial slides: by a key, to the narrowest scale, and the page follows without being loaded anew.
  at = 'dial';
  if (paths.scales) {
    await page.goto(origin + paths.scales);
    const was = await page.textContent('#now strong');
    await page.evaluate(() => { window.kept = true; });
    await page.focus('input[type=range]');
    await page.keyboard.press('Home');
    await page.waitForFunction((was) => document.querySelector('#now strong').textContent !== was, was, { timeout: 60000 });
    const narrowest = new URL(page.url()).searchParams.get('at');
    if (!(await page.evaluate(() => window.kept)) || await page.$eval('input[type=range]', (e) => e.value) !== '0') wrong.push(`the dial led to ${page.url()}`);
    // Each key press leads to the next boundary, which was told of before.
    for (let seen = new Set([narrowest]); await page.$eval('input[type=range]', (e) => e.value < e.max); ) {
      const told = await page.getAttribute('.near li:last-child a', 'href');
      await page.keyboard.press('ArrowRight');
      const at = new URL(told, origin).searchParams.get('at');
      await page.waitForURL((u) => u.searchParams.get('at') === at, { timeout: 10000 }).catch(() => wrong.push(`the dial told of ${at} and led to ${page.url()}`));
      if (seen.has(at)) { wrong.push(`the dial stays at ${at}`); break; }
      seen.add(at);
    }
  }
  // Without JavaScript each view has the same text.
  at = 'without JavaScript';
  const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
  const other = await plain.newPage();
  for (const [name, path] of Object.entries(paths)) {
    await page.goto(origin + path);
    await other.goto(origin + path);
    const [a, b] = await Promise.all([page.textContent('h1'), other.textContent('h1')]);
    if (a !== b || (await other.content()).length < 500) wrong.push(`${name}: other than with JavaScript`);
  }
  if (pictures) {
    await page.setViewportSize({ width: 880, height: 620 });
    await page.emulateMedia({ colorScheme: 'light' });
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(origin + path);
      await page.screenshot({ path: `${pictures}/desk-${name}.png` });
    }
  }
  await browser.close();
  for (const line of wrong) console.log(line);
})().catch((e) => { console.log(String(e)); for (const line of wrong) console.log(line); process.exit(1); });
