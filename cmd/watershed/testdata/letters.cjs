// letters.cjs opens an archived page in the replay, in headless Chromium, and clicks each of its links and of the pages that
// these lead to. It prints what is wrong: a link that does not lead to the page of its text, an image that is not shown.
//
// usage: node letters.cjs LAUNCH.cjs ADDRESS-OF-THE-VIEW NUMBER-OF-PAGES
'use strict';
const { launch } = require(process.argv[2]);
const wrong = [];
(async () => {
  const browser = await launch();
  const page = await (await browser.newContext()).newPage();
  const inside = async () => {
    const frame = page.frames()[1];
    await frame.waitForSelector('h1', { timeout: 10000 });
    return frame;
  };
  const open = async (address) => {
    await page.goto(address, { waitUntil: 'load' });
    return inside();
  };
  const seen = new Set();
  const waiting = [process.argv[3]];
  while (waiting.length > 0) {
    const address = waiting.shift();
    let frame = await open(address);
    seen.add(await frame.textContent('h1'));
    for (const text of await frame.locator('a').allTextContents()) {
      if (seen.has(text)) continue;
      seen.add(text);
      frame = await open(address);
      await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), frame.getByText(text, { exact: true }).click()]);
      try {
        frame = await inside();
      } catch {
        wrong.push(`${text}: the link leads to no page: ${page.url()}`);
        continue;
      }
      const title = await frame.textContent('h1');
      if (title !== text) wrong.push(`${text}: the link leads to ${title}`);
      for (const image of await frame.locator('img').all()) {
        const [width, source] = await image.evaluate((i) => [i.complete && i.naturalWidth, i.src]);
        if (!width) wrong.push(`${text}: no image at ${source}`);
      }
      waiting.push(page.url());
    }
  }
  if (seen.size !== Number(process.argv[4])) wrong.push(`${seen.size} pages: ${[...seen]}`);
  await browser.close();
  for (const line of wrong) console.log(line);
})().catch((e) => { console.log(String(e)); process.exitCode = 1; });
