// over.cjs looks at a page of a run under way in headless Chromium while the run is stopped on another page, and prints what is wrong:
// that the page offers orders which nobody takes any more, or says that something newer is there when nothing comes. Before that it ends
// the session, which the page has to say, and begins another one, with which it has to follow the run again.
//
// usage: node over.cjs LAUNCH.cjs LINK ADDRESS-OF-HARVEST SECRET
'use strict';
const { launch } = require(process.argv[2]);
const link = process.argv[3], root = process.argv[4], secret = process.argv[5], origin = new URL(link).origin;

(async () => {
  const browser = await launch();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.goto(origin + root);
  await page.waitForSelector('[data-told]');
  if (!(await page.$$('.watch button')).length) console.log('a run under way cannot be stopped');
  const other = await context.newPage();
  await other.goto(origin + root);
  await other.getByRole('button', { name: 'End this session' }).click();
  await page.getByText(/this session has ended.* as of \d\d:\d\d:\d\d UTC\./).waitFor();
  await other.fill('[name=secret]', secret);
  await other.press('[name=secret]', 'Enter');
  await page.getByText('The run is under way.').waitFor();
  await other.goto(`${origin}${root}/control`);
  await other.getByRole('button', { name: 'Stop the process' }).click();
  await page.getByText('The run is not under way any more.').waitFor();
  await page.waitForFunction(() => !document.querySelector('.watch button'), null, { timeout: 20000 }).catch(() => console.log('its buttons are still there'));
  if (await page.isVisible('[data-newer]')) console.log('it says that a newer state is there');
  await browser.close();
})().catch((e) => {
  console.log(String(e.stack));
  process.exit(1);
});
