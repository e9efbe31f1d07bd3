// The replay of a session: frames are fetched in groups when they are needed, and drawn at their times.
// What a page called itself is only ever set as text.
const $ = id => document.getElementById(id);
const screen = $('screen'), paint = screen.getContext('2d', {alpha: false});
const GROUP = 16, GROUPS_MAX = 40;          // frames in one request; requests whose bytes are kept
const PAUSE_MS = 1500, REST_MS = 400;       // a gap that is skipped, and what is left of it
const PLAY = 'M5 3.5v9l7-4.5z', STOP = 'M4.5 3.5h2.5v9H4.5zM9 3.5h2.5v9H9z';
const base = new URL(location.href), token = base.searchParams.get('token') || '';

let pages = [], frames = [], begin = 0, end = 0;
let now = 0, chosen = null, playing = false, last = 0, drawn = null, wanted = null;
const groups = new Map();                   // "page/group" → promise of its bytes

const address = path => `${base.pathname.replace(/\/$/, '')}/${path}?token=${encodeURIComponent(token)}`;

async function load() {
  const answer = await fetch(address('pages'));
  if (!answer.ok) return say('The recording cannot be read', (await answer.json().catch(() => ({}))).message || '');
  pages = (await answer.json()).pages.filter(page => page.frames.length);
  if (!pages.length) return say('Nothing was recorded', 'The session was created with recordSession: false, or nothing was drawn.');
  const first = Math.min(...pages.map(page => page.frames[0][0]));
  const arrivals = pages.flatMap(page => page.urls).filter(([, url]) => url && url !== 'about:blank');
  const arrived = Math.min(...arrivals.map(([time]) => time), Infinity);
  // Not with the blank page that every browser begins with: with the first picture of a real one.
  begin = pages.flatMap(page => page.frames).reduce((least, [time]) => time >= arrived && time < least ? time : least, Infinity);
  if (begin === Infinity) begin = first;
  end = Math.max(...pages.map(page => page.frames.at(-1)[0]), begin + 1000);
  pages.forEach((page, number) => page.frames.forEach(([time], at) => frames.push({time, page: number, at})));
  frames.sort((one, other) => one.time - other.time);
  lanes();
  tabs();
  $('controls').hidden = false;
  $('position').max = String(end - begin);
  fit();
  await seek(begin);
  $('veil').hidden = true;
}

// -- time

function indexAt(list, time, timeOf) {
  let low = 0, high = list.length;
  while (low < high) { const middle = low + high >> 1; if (timeOf(list[middle]) <= time) low = middle + 1; else high = middle; }
  return low - 1;
}
const shownAt = time => {
  if (chosen === null) return frames[Math.max(0, indexAt(frames, time, each => each.time))];
  const page = pages[chosen];
  return {page: chosen, at: Math.max(0, indexAt(page.frames, time, each => each[0]))};
};

async function seek(time) {
  now = Math.min(Math.max(time, begin), end);
  $('position').value = String(now - begin);
  const text = `${clock(now - begin)} of ${clock(end - begin)}`;
  $('position').setAttribute('aria-valuetext', text);
  $('time').textContent = `${clock(now - begin)} / ${clock(end - begin)}`;
  $('clock').textContent = new Date(now).toLocaleTimeString();
  const {page, at} = shownAt(now);
  where(page);
  await show(page, at);
}

function step(stamp) {
  if (!playing) return;
  const speed = Number($('speed').value);
  now += (stamp - last) * speed;
  last = stamp;
  const following = frames[indexAt(frames, now, each => each.time) + 1];
  if ($('idle').checked && following && following.time - now > PAUSE_MS * Math.max(1, speed / 2)) now = following.time - REST_MS * speed;
  if (now >= end) { seek(end); return toggle(false); }
  seek(now);
  requestAnimationFrame(step);
}

function toggle(isOn = !playing) {
  playing = isOn;
  $('icon').setAttribute('d', playing ? STOP : PLAY);
  $('play').setAttribute('aria-label', playing ? 'Pause' : 'Play');
  if (!playing) return;
  if (now >= end) now = begin;
  last = performance.now();
  requestAnimationFrame(step);
}

// -- frames

function group(page, number) {
  const name = `${page}/${number}`;
  const known = groups.get(name);
  if (known) { groups.delete(name); groups.set(name, known); return known; }
  const part = pages[page].frames.slice(number * GROUP, (number + 1) * GROUP);
  const from = part[0][1], to = part.at(-1)[1] + part.at(-1)[2] - 1;
  const loading = fetch(address(`pages/${encodeURIComponent(pages[page].pageId)}/frames`), {headers: {Range: `bytes=${from}-${to}`}})
    .then(async answer => {
      if (!answer.ok) throw new Error('the frames cannot be read');
      const bytes = await answer.arrayBuffer();
      return {bytes, from: answer.status === 206 ? from : 0};
    });
  loading.catch(() => groups.delete(name));
  groups.set(name, loading);
  if (groups.size > GROUPS_MAX) groups.delete(groups.keys().next().value);
  return loading;
}

async function show(page, at) {
  const name = `${page}/${at}`;
  if (name === drawn || name === wanted) return;
  wanted = name;
  const number = Math.floor(at / GROUP), [, offset, size] = pages[page].frames[at];
  if (pages[page].frames.length > (number + 1) * GROUP) group(page, number + 1).catch(() => {});
  try {
    const {bytes, from} = await group(page, number);
    const picture = await createImageBitmap(new Blob([new Uint8Array(bytes, offset - from, size)], {type: 'image/jpeg'}));
    if (wanted !== name) return picture.close();
    if (screen.width !== picture.width || screen.height !== picture.height) {
      screen.width = picture.width; screen.height = picture.height;
      fit();
    }
    paint.drawImage(picture, 0, 0);
    picture.close();
    screen.classList.add('shown');
    drawn = name;
  } catch (error) { if (!drawn) say('The recording cannot be shown', error.message); }
  if (wanted === name) wanted = null;
}

function fit() {
  const box = $('stage').getBoundingClientRect(), ratio = screen.width / screen.height;
  const width = Math.min(box.width, box.height * ratio);
  screen.style.width = `${Math.floor(width)}px`;
  screen.style.height = `${Math.floor(width / ratio)}px`;
}
new ResizeObserver(fit).observe($('stage'));

// -- what stands around it

function urlAt(page, time) {
  const at = indexAt(page.urls, time, each => each[0]);
  return at < 0 ? page.url : page.urls[at][1];
}

let at = null;
function where(page) {
  const text = urlAt(pages[page], now);
  if ($('address').textContent !== text) { $('address').textContent = text; $('address').title = text; }
  if (at !== page) { at = page; [...$('tabs').children].forEach((tab, number) => tab.setAttribute('aria-selected', String(number === page))); }
}

function tabs() {
  $('tabs').replaceChildren(...pages.map((page, number) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.textContent = tab.title = name(page.url);
    tab.onclick = () => {
      chosen = pages.length > 1 ? number : null;
      const [first] = page.frames[0];
      seek(now < first || now > page.frames.at(-1)[0] ? first : now);
    };
    return tab;
  }));
}

function name(url) {
  try { const {host, pathname} = new URL(url); return host ? host + (pathname === '/' ? '' : pathname) : url; } catch { return url || 'page'; }
}

function lanes() {
  // Where frames lie close together something moved: those stretches are filled, the pauses are not.
  const share = time => `${100 * (time - begin) / (end - begin)}%`, parts = [];
  let from = frames[0].time, before = from;
  for (const {time} of [...frames.slice(1), {time: Infinity}]) {
    if (time - before > PAUSE_MS) { parts.push([from, before]); from = time; }
    before = time;
  }
  const bands = parts.slice(0, 500).map(([one, other]) => {
    const band = document.createElement('i');
    band.style.left = share(one);
    band.style.width = `${100 * (other - one) / (end - begin)}%`;
    return band;
  });
  const marks = pages.flatMap(page => page.urls).filter(([, url]) => url && url !== 'about:blank').slice(0, 200).map(([time]) => {
    const mark = document.createElement('b');
    mark.style.left = `min(calc(100% - 2px), ${share(Math.max(time, begin))})`;
    return mark;
  });
  $('lanes').replaceChildren(...bands, ...marks);
}

function clock(ms) {
  const seconds = Math.floor(ms / 1000), hours = Math.floor(seconds / 3600);
  const rest = [Math.floor(seconds / 60) % 60, seconds % 60].map((each, number) => number || hours ? String(each).padStart(2, '0') : each);
  return (hours ? `${hours}:` : '') + rest.join(':');
}

function say(headline, detail) {
  $('headline').textContent = headline;
  $('detail').textContent = detail;
  $('veil').hidden = false;
}

$('play').onclick = screen.onclick = () => toggle();
$('position').oninput = event => { chosen = null; seek(begin + Number(event.target.value)); };
document.addEventListener('keydown', event => {
  if (event.target.closest('button, select, input:not(#position)')) return;
  if (event.key === ' ') { event.preventDefault(); toggle(); }
  if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
    event.preventDefault();
    seek(now + (event.key === 'ArrowLeft' ? -5000 : 5000));
  }
});
load().catch(error => say('The recording cannot be read', error.message));
