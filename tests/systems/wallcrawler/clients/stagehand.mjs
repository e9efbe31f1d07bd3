// Drives sessions with Stagehand and the SDK of Browserbase, and prints what they saw as JSON.
import Browserbase from '@browserbasehq/sdk';
import { browserbase, Stagehand } from '@browserbasehq/stagehand';

const { KEY, SERVER, SITE } = process.env;

const browser = await browserbase.launch({ apiKey: KEY, baseUrl: SERVER });
const stagehand = await Stagehand.create({ browser });
const [page] = await browser.context.pages();
await page.goto(SITE);
await page.locator('#name').fill('Margaret');
const click = { selector: 'xpath=//button', description: 'go', method: 'click', arguments: [] };
const { data } = await stagehand.act(click);
const said = await page.locator('#said').textContent();
await stagehand.close();
await browser.close();

const client = new Browserbase({ apiKey: KEY, baseURL: SERVER });
const session = await client.sessions.create({ userMetadata: { from: 'node' } });
const found = await client.sessions.list({ q: "user_metadata['from']:'node'" });
const live = await client.sessions.debug(session.id);
const ended = await client.sessions.update(session.id, { status: 'REQUEST_RELEASE' });
const refused = await client.sessions.retrieve('sess_unknown').catch(error => error.status);
console.log(JSON.stringify({
  acted: data.success, said, found: found.length, pages: live.pages.length, ended: ended.status, refused,
}));
