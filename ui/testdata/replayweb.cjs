// replayweb.cjs has ReplayWeb.page show archived pages out of an archive at an address, in headless Chromium, and prints a line for
// each: what is WRONG, or ok. A page is as it should be if it is there with status 200 and nine of ten of the words that begin its text,
// if all comes back that it needs and the archive holds, and if nothing is asked of the live web.
//
// usage: node replayweb.cjs LAUNCH.cjs FOLDER-OF-replaywebpage ADDRESS-OF-ARCHIVE PAGES.json [FOLDER-FOR-PICTURES]
'use strict';
const { launch } = require(process.argv[2]);
const fs = require('fs'), http = require('http'), path = require('path');
const program = process.argv[3], archive = process.argv[4], pages = JSON.parse(fs.readFileSync(process.argv[5], 'utf8')), pictures = process.argv[6];
const most = 60000; // ms that a page may take

const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const shell = (p) => `<!doctype html><meta charset="utf-8"><script src="/replay/ui.js"></script><body style="margin:0">
<replay-web-page source="${escape(archive)}" url="${escape(p.url)}" ts="${p.time}" replayBase="/replay/" embed="replayonly" noWebWorker style="display:block;height:100vh"></replay-web-page>`;
const server = http.createServer((request, answer) => {
  const at = new URL(request.url, 'http://localhost');
  const send = (type, body) => { answer.writeHead(200, { 'Content-Type': type }); answer.end(body); };
  switch (at.pathname) {
    case '/page': return send('text/html', shell(pages[at.searchParams.get('n')]));
    case '/replay/ui.js': case '/replay/sw.js': return send('text/javascript', fs.readFileSync(path.join(program, path.basename(at.pathname))));
    case '/replay/': case '/replay/index.html': return send('text/html', '<!doctype html><script src="./ui.js"></script><replay-app-main></replay-app-main>');
  }
  answer.writeHead(404);
  answer.end();
});

(async () => {
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const own = `http://127.0.0.1:${server.address().port}`;
  const browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
  const away = [];
  context.on('request', (r) => { if (!r.url().startsWith(own) && !r.url().startsWith(archive) && /^https?:/.test(r.url())) away.push(r.url()); });
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const replayed = /\/replay\/w\/[^/]+\/(?:[^/]*\/)?(\d*)(?:[a-z]+_)?\/(https?:.*)$/;
  for (const [n, p] of pages.entries()) {
    const wrong = [], came = new Map();
    away.length = 0;
    const page = await context.newPage();
    page.on('response', (r) => { const m = replayed.exec(r.url()); if (m) came.set(m[2], r.status()); });
    await page.goto(`${own}/page?n=${n}`);
    const until = Date.now() + most;
    let frame;
    while (Date.now() < until && !(frame = page.frames().find((f) => /\/replay\/w\/.*mp_\//.test(f.url())))) await pause(100);
    if (!frame) wrong.push('it is not shown');
    else {
      await frame.waitForLoadState('load', { timeout: most }).catch(() => wrong.push('it does not end loading'));
      for (let last = -1; last !== came.size && Date.now() < until;) { last = came.size; await pause(700); }
      const text = await frame.evaluate(() => document.body ? document.body.textContent + document.title : '').catch(() => '');
      const run = text.replace(/\s+/g, ''); // what divides words depends on how they are laid out
      const lost = p.words.filter((w) => !run.includes(w));
      if (lost.length > 0.1 * p.words.length) wrong.push(`without ${lost.join(' ')}`);
      if (came.get(p.url) !== 200) wrong.push(`status ${came.get(p.url)}`);
      for (const u of p.held) {
        const status = came.get(u);
        if (status >= 400) wrong.push(`${status} for ${u}`);
      }
    }
    if (away.length) wrong.push(`asks for ${away.slice(0, 3)}`);
    if (pictures) await page.screenshot({ path: path.join(pictures, `replayweb-${n + 1}.png`) });
    const back = p.held.filter((u) => came.get(u) < 400).length;
    console.log(`${wrong.length ? 'WRONG' : 'ok   '} ${p.url}: ${p.words.length} words looked for, ${back} of ${p.held.length} requisites asked for and there${wrong.length ? '; ' + wrong.join('; ') : ''}`);
    await page.close();
  }
  await browser.close();
  server.close();
})().catch((e) => { console.log('WRONG', String(e)); process.exit(1); });
