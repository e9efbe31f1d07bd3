// The live view: CDP over one WebSocket. Frames of a screencast come in; where the token allows it, input goes out.
// What a page calls itself, its title and address, is only ever set as text.
const options = JSON.parse('__OPTIONS__');
const $ = id => document.getElementById(id);
const screen = $('screen'), paint = screen.getContext('2d', {alpha: false});
const RETRIES_MS = [300, 600, 1200, 2400, 4000];

let socket, lastId = 0, failures = 0, isOver = false;
let calls = new Map();      // id → {resolve, reject}
let pages = new Map();      // target id → {title, url}
let shown = options.pageId; // the target that is shown
let session;                // its CDP session
let size = {width: 1280, height: 720, top: 0};

const isOpen = () => socket?.readyState === WebSocket.OPEN;

function call(method, params = {}, sessionId) {
  return new Promise((resolve, reject) => {
    if (!isOpen()) return reject(new Error('not connected'));
    const id = ++lastId;
    calls.set(id, {resolve, reject});
    socket.send(JSON.stringify(sessionId ? {id, method, params, sessionId} : {id, method, params}));
  });
}
const tell = (method, params) => session && call(method, params, session).catch(() => {});

// -- the connection

function connect() {
  const address = new URL(location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  address.pathname = address.pathname.replace(/\/?$/, '/ws');
  socket = new WebSocket(address);
  socket.onopen = begin;
  socket.onmessage = event => receive(JSON.parse(event.data));
  socket.onclose = event => lost(event);
}

async function begin() {
  try {
    await call('Target.setDiscoverTargets', {discover: true, filter: [{type: 'page'}]});
    failures = 0;
    await show(pages.has(shown) ? shown : [...pages.keys()].at(-1));
  } catch (error) { if (isOpen()) say('The browser does not answer', error.message); }
}

function lost(event) {
  calls.forEach(each => each.reject(new Error('connection lost')));
  calls = new Map();
  pages = new Map();
  session = undefined;
  const isEnd = event.code === 1000 || event.code === 1001 || event.code === 1008 || event.code >= 4000;
  if (isEnd || failures >= RETRIES_MS.length) return over(event.reason);
  mode('reconnecting', '');
  if (!screen.classList.contains('shown')) say('Connecting', '');
  setTimeout(connect, RETRIES_MS[failures++]);
}

function over(reason) {
  if (isOver) return;
  isOver = true;
  mode('ended', '');
  delete document.documentElement.dataset.drives;
  say('The session has ended', reason || 'Its browser is gone. A link that is too old ends here too.');
  if (parent !== window) parent.postMessage('browserbase-disconnected', '*');
}

function receive(message) {
  if (message.id) {
    const waiting = calls.get(message.id);
    calls.delete(message.id);
    if (message.error) waiting?.reject(new Error(message.error.message));
    else waiting?.resolve(message.result);
  } else if (message.method === 'Page.screencastFrame' && message.sessionId === session) frame(message.params);
  else if (message.method === 'Target.targetCreated' || message.method === 'Target.targetInfoChanged')
    changed(message.params.targetInfo);
  else if (message.method === 'Target.targetDestroyed') destroyed(message.params.targetId);
  else if (message.method === 'Page.javascriptDialogOpening' && message.sessionId === session) asked(message.params);
  else if (message.method === 'Page.javascriptDialogClosed' && message.sessionId === session) $('ask').hidden = true;
  else if (message.method === 'Target.detachedFromTarget' && message.params.sessionId === session) session = undefined;
}

// -- pages

function changed(info) {
  if (info.type !== 'page' || info.url.startsWith('devtools:')) return;
  const isNew = !pages.has(info.targetId);
  pages.set(info.targetId, {title: info.title, url: info.url});
  if (isNew && session && !options.pageId) show(info.targetId);  // a page that opens comes to the front
  else draw();
}

function destroyed(targetId) {
  pages.delete(targetId);
  if (targetId !== shown) return draw();
  session = undefined;
  const next = [...pages.keys()].at(-1);
  if (next && !options.pageId) show(next);
  else { draw(); say('The page was closed', 'This view shows it again when the browser opens another one.'); }
}

async function show(targetId) {
  if (!targetId) return say('No page is open', 'The view begins when the browser opens one.');
  const before = session;
  shown = targetId;
  session = undefined;
  $('ask').hidden = true;
  draw();
  if (before) call('Target.detachFromTarget', {sessionId: before}).catch(() => {});
  try {
    const attached = await call('Target.attachToTarget', {targetId, flatten: true});
    if (shown !== targetId) return;
    session = attached.sessionId;
    if (options.drives) {
      call('Target.activateTarget', {targetId}).catch(() => {});
      tell('Page.enable', {});  // for the questions that a page asks
    }
    const scale = Math.min(devicePixelRatio || 1, 2), box = $('stage').getBoundingClientRect();
    const limit = {maxWidth: Math.ceil(Math.max(box.width, 320) * scale), maxHeight: 2160};
    await call('Page.startScreencast', {format: 'jpeg', quality: 75, ...limit}, session);
    mode(options.drives ? 'live' : 'view only', options.drives ? 'live' : 'view');
    if (options.drives) history();
  } catch (error) { if (isOpen() && pages.has(targetId)) say('The page does not answer', error.message); }
}

function draw() {
  const tabs = [...pages].map(([id, page]) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-selected', String(id === shown));
    tab.textContent = tab.title = page.title || page.url || 'New page';
    tab.onclick = () => id !== shown && show(id);
    return tab;
  });
  $('tabs').replaceChildren(...tabs);
  const page = pages.get(shown);
  document.title = page?.title ? `${page.title} – live` : 'Live view';
  if (page && document.activeElement !== $('address')) $('address').value = page.url === 'about:blank' ? '' : page.url;
  if (options.drives) history();
}

async function frame(params) {
  const from = session;
  const image = new Image();
  image.src = `data:image/jpeg;base64,${params.data}`;
  try { await image.decode(); } catch { /* the next one will do */ }
  if (from === session) {
    const {deviceWidth, deviceHeight, offsetTop} = params.metadata;
    size = {width: deviceWidth, height: deviceHeight, top: offsetTop || 0};
    if (image.naturalWidth) {
      if (screen.width !== image.naturalWidth || screen.height !== image.naturalHeight) {
        screen.width = image.naturalWidth; screen.height = image.naturalHeight;
        fit();
      }
      paint.drawImage(image, 0, 0);
      screen.classList.add('shown');
      $('veil').hidden = true;
    }
  }
  call('Page.screencastFrameAck', {sessionId: params.sessionId}, from).catch(() => {});
}

function fit() {
  const box = $('stage').getBoundingClientRect(), ratio = size.width / size.height || 16 / 9;
  const width = Math.min(box.width, box.height * ratio, size.width * 2);
  screen.style.width = `${Math.floor(width)}px`;
  screen.style.height = `${Math.floor(width / ratio)}px`;
}
new ResizeObserver(fit).observe($('stage'));

function say(headline, detail) {
  $('headline').textContent = headline;
  $('detail').textContent = detail;
  $('veil').hidden = false;
}

function mode(text, kind) {
  $('mode').textContent = text;
  $('mode').className = `chip ${kind}`;
}

// -- driving

let moved, pressed = {time: 0, x: 0, y: 0, count: 0};
const BUTTONS = ['left', 'middle', 'right', 'back', 'forward'];
const bits = event => event.altKey | event.ctrlKey << 1 | event.metaKey << 2 | event.shiftKey << 3;

function place(event) {
  const box = screen.getBoundingClientRect();
  const x = (event.clientX - box.left) * size.width / box.width;
  return {x: Math.round(x), y: Math.round((event.clientY - box.top) * size.height / box.height - size.top)};
}

function mouse(type, event, more = {}) {
  const at = place(event);
  return tell('Input.dispatchMouseEvent', {type, ...at, modifiers: bits(event), buttons: event.buttons, ...more});
}

function drive() {
  document.documentElement.dataset.drives = '';
  $('address').readOnly = false;
  screen.addEventListener('pointerdown', event => {
    event.preventDefault();
    screen.focus();
    screen.setPointerCapture(event.pointerId);
    const isNear = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 5;
    const isQuick = event.timeStamp - pressed.time < 500 && isNear;
    pressed = {time: event.timeStamp, x: event.clientX, y: event.clientY, count: isQuick ? pressed.count % 3 + 1 : 1};
    mouse('mousePressed', event, {button: BUTTONS[event.button] || 'left', clickCount: pressed.count});
  });
  screen.addEventListener('pointerup', event => {
    mouse('mouseReleased', event, {button: BUTTONS[event.button] || 'left', clickCount: pressed.count});
  });
  screen.addEventListener('pointermove', event => {
    if (!moved) requestAnimationFrame(() => { mouse('mouseMoved', moved, {button: held(moved)}); moved = undefined; });
    moved = event;
  });
  screen.addEventListener('wheel', event => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    mouse('mouseWheel', event, {deltaX: event.deltaX * lines, deltaY: event.deltaY * lines});
  }, {passive: false});
  screen.addEventListener('contextmenu', event => event.preventDefault());
  screen.addEventListener('keydown', event => key(event, true));
  screen.addEventListener('keyup', event => key(event, false));
  document.addEventListener('paste', event => {
    if (document.activeElement !== screen) return;
    event.preventDefault();
    tell('Input.insertText', {text: event.clipboardData.getData('text/plain')});
  });
  $('go').addEventListener('submit', event => { event.preventDefault(); go($('address').value.trim()); });
  $('ask').addEventListener('submit', event => { event.preventDefault(); reply(true); });
  $('no').onclick = () => reply(false);
  $('back').onclick = () => step(-1);
  $('forward').onclick = () => step(1);
  $('reload').onclick = () => tell('Page.reload', {});
}

function asked({type, message, defaultPrompt}) {
  if (!options.drives) return;
  $('question').textContent = type === 'beforeunload' ? 'Leave this page? What was typed may be lost.' : message;
  $('reply').hidden = type !== 'prompt';
  $('reply').value = defaultPrompt || '';
  $('no').hidden = type === 'alert';
  $('ask').hidden = false;
  (type === 'prompt' ? $('reply') : $('yes')).focus();
}

function reply(accept) {
  $('ask').hidden = true;
  tell('Page.handleJavaScriptDialog', {accept, ...(accept && !$('reply').hidden ? {promptText: $('reply').value} : {})});
  screen.focus();
}

const held = event => event.buttons & 1 ? 'left' : event.buttons & 2 ? 'right' : event.buttons & 4 ? 'middle' : 'none';

function key(event, isDown) {
  if (event.key === 'Escape' && event.shiftKey) return isDown && $('address').focus();
  if (event.isComposing || event.key === 'Unidentified') return;
  const isPaste = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v';
  if (isPaste) return;  // the text comes with the event `paste`
  event.preventDefault();
  const isTyped = !event.ctrlKey && !event.metaKey && !event.altKey;
  let text = event.key === 'Enter' ? '\r' : event.key.length === 1 ? event.key : '';
  if (!isTyped && event.key !== 'Enter') text = '';
  tell('Input.dispatchKeyEvent', {
    type: !isDown ? 'keyUp' : text ? 'keyDown' : 'rawKeyDown',
    modifiers: bits(event), key: event.key, code: event.code, windowsVirtualKeyCode: event.keyCode,
    location: event.location, autoRepeat: event.repeat, isKeypad: event.location === 3,
    ...(isDown && text ? {text, unmodifiedText: text} : {}),
  });
}

async function go(text) {
  if (!text || !session) return;
  const url = /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^localhost:/i.test(text) ? text : `http${secure(text)}://${text}`;
  screen.focus();
  try {
    const answer = await call('Page.navigate', {url}, session);
    if (answer?.errorText) $('address').title = answer.errorText;
  } catch (error) { say('It cannot go there', error.message); setTimeout(() => { $('veil').hidden = true; }, 3000); }
}
const secure = text => /^(localhost|\d+\.\d+\.\d+\.\d+|\[)/i.test(text) ? '' : 's';

let asking = false;
async function history() {
  if (asking || !session) return;
  asking = true;
  try {
    const {currentIndex, entries} = await call('Page.getNavigationHistory', {}, session);
    $('back').disabled = currentIndex < 1;
    $('forward').disabled = currentIndex >= entries.length - 1;
  } catch { /* the page is going */ }
  asking = false;
}

async function step(by) {
  if (!session) return;
  try {
    const {currentIndex, entries} = await call('Page.getNavigationHistory', {}, session);
    const entry = entries[currentIndex + by];
    if (entry) await call('Page.navigateToHistoryEntry', {entryId: entry.id}, session);
  } catch { /* it has no such entry any more */ }
  history();
}

if (options.drives) drive();
connect();
