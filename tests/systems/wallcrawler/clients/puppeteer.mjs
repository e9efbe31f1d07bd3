// Drives one session with Puppeteer and prints what it saw as JSON.
import puppeteer from 'puppeteer-core';

const { CONNECT_URL, SITE } = process.env;

let browser = await puppeteer.connect({ browserWSEndpoint: CONNECT_URL, defaultViewport: null });
const [page] = await browser.pages();
await page.goto(SITE);
await page.type('#name', 'Linus');
await page.click('#go');
const said = await page.$eval('#said', node => node.textContent);
const picture = await page.screenshot();
await browser.disconnect();

browser = await puppeteer.connect({ browserWSEndpoint: CONNECT_URL, defaultViewport: null });
const again = (await browser.pages())[0].url();
const other = await browser.newPage();
await other.goto(SITE);
const tabs = (await browser.pages()).length;
await browser.close();
console.log(JSON.stringify({ said, again, tabs, picture: picture.length > 1000 }));
