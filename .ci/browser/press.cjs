// press.cjs presses buttons in headless Chromium, one after the other, as a list of steps says, with a
// pointer or by keys alone, in turn in a wide light window and a narrow dark one. It prints as JSON
// what was pressed and what is wrong: an answer that is an error, a page that does not show what it
// should after the press or showed it before, a control that the Tab key does not lead to or that is
// not seen then, errors on the console.
//
// usage: node press.cjs LAUNCH.cjs LINK pointer|keys < [Step of package browser, ...]
'use strict';
const { launch } = require(process.argv[2]);
const link = process.argv[3];
const keys = process.argv[4] === 'keys';
const steps = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const origin = new URL(link).origin;
const pressed = [], wrong = [];
const timeout = 30000;

// fill puts a value into a field of a form: types, chooses or ticks.
async function fill(page, form, name, value) {
  const field = form.locator(`[name="${name}"]:not([type=hidden])`);
  const kind = await field.evaluate((e) => e.tagName + (e.type || ''));
  if (keys) {
    await reach(page, field, name);
    if (kind.startsWith('SELECT')) await page.keyboard.type(await field.evaluate((e, v) => [...e.options].find((o) => o.value === v).text, value));
    else if (kind === 'INPUTcheckbox') await page.keyboard.press('Space');
    else {
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(value);
    }
    if (kind !== 'INPUTcheckbox' && await field.inputValue() !== value) throw new Error(`keys make ${name} ${await field.inputValue()}`);
  } else if (kind.startsWith('SELECT')) await field.selectOption(value);
  else if (kind === 'INPUTcheckbox') await field.check();
  else await field.fill(value);
}

// drawn is what a picture shows.
const drawn = (page, selector) => page.$eval(selector, (e) => e.toDataURL());

// reach goes to a control with the Tab key, from where the focus is, and wants it to be seen there.
async function reach(page, control, name) {
  const there = () => control.evaluate((e) => e === document.activeElement);
  for (let i = 0; i < 400 && !(await there()); i++) await page.keyboard.press('Tab');
  if (!(await there())) throw new Error(`the Tab key does not lead to ${name}`);
  const focus = await control.evaluate((e) => {
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    return { outline: `${style.outlineStyle} ${style.outlineWidth}`, top: box.top, bottom: box.bottom, height: innerHeight };
  });
  if (!/^(?!none)\w+ ([2-9]|\d\d)/.test(focus.outline) || focus.bottom <= 0 || focus.top >= focus.height) throw new Error(`${name} has the focus and does not show it: ${JSON.stringify(focus)}`);
}

async function press(page, step, narrow) {
  if (step.path) {
    await page.setViewportSize(narrow ? { width: 390, height: 844 } : { width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: narrow ? 'dark' : 'light' });
    await page.goto(origin + step.path);
  }
  if (step.changes) await page.waitForSelector('[data-drawn]');
  const button = page.getByRole('button', { name: step.button, exact: true });
  const form = step.form ? page.locator(step.form) : button.locator('xpath=ancestor::form');
  for (const [name, value] of Object.entries(step.fill || {})) await fill(page, form, name, value);
  const before = step.changes && await drawn(page, step.changes);
  const shows = (text) => !text || document.body && document.body.innerText.includes(text);
  const leads = (part) => !part || location.href.includes(part);
  if (step.want && await page.evaluate(shows, step.want)) wrong.push(`${step.button}: "${step.want}" was there before`);
  if (step.address && await page.evaluate(leads, step.address)) wrong.push(`${step.button}: the page had this address before`);
  pressed.push(await button.evaluate((e) => e.outerHTML));
  if (keys) {
    await reach(page, button, step.button);
    await page.keyboard.press('Enter');
  } else await button.click();
  for (let i = 0; step.until && i < 100 && !await page.waitForLoadState().then(() => page.evaluate(shows, step.want)).catch(() => false); i++) {
    await page.waitForTimeout(200); // it works in the background
    await button.click();
  }
  if (step.changes) await page.waitForFunction(([s, was]) => document.querySelector(s).toDataURL() !== was, [step.changes, before]);
  await page.waitForFunction(leads, step.address);
  await page.waitForFunction(shows, step.want);
}

(async () => {
  const browser = await launch();
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  page.setDefaultTimeout(timeout);
  let at = '', refused = 0;
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type()) && !(refused && m.text().includes(`status of ${refused}`))) wrong.push(`${at}: console: ${m.text()}`); });
  page.on('pageerror', (e) => wrong.push(`${at}: ${e}`));
  page.on('dialog', (d) => { wrong.push(`${at}: a dialog: ${d.message()}`); d.dismiss(); });
  page.on('response', (r) => { if (r.request().isNavigationRequest() && r.status() >= 400 && r.status() !== refused && r.frame() === page.mainFrame()) wrong.push(`${at}: status ${r.status()}`); });
  await page.goto(link);
  for (const step of steps) {
    if (wrong.length > 4) break; // the rest would only follow from it
    at = step.button;
    refused = step.status;
    try { await press(page, step, steps.indexOf(step) % 2 === 1); } catch (e) { wrong.push(`${at}: ${String(e).split('\n')[0]}; the page reads: ${(await page.innerText('body')).slice(0, 300)}`); }
  }
  await browser.close();
  console.log(JSON.stringify({ pressed, wrong }));
})().catch((e) => { console.log(String(e)); process.exit(1); });
