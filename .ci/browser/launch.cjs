// launch.cjs starts Debian's headless Chromium for tests that look at pages and press what is on them; it
// takes half of the processor time of the whole browser. Each has a new, empty profile (the driver makes it
// and takes it away) and asks no other machine.
'use strict';
const fs = require('fs');
const { chromium } = require('playwright-core');

const flags = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

// local has every name but that of this machine stay unknown.
const local = 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';

// launch gives a browser. resolve are Chromium's rules for names, '' for the names of the world;
// proxy is the address of a proxy.
exports.launch = ({ resolve = local, proxy = '' } = {}) => chromium.launch({
  executablePath: '/usr/bin/chromium-headless-shell',
  args: resolve ? [...flags, `--host-resolver-rules=${resolve}`] : flags,
  proxy: proxy ? { server: `http://${proxy}` } : undefined,
  timeout: 120000,
});

// axe is the source of axe-core, which judges whether everybody can use a page.
exports.axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
