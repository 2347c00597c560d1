// Keeps a view live. By a WebSocket of its own address the page is told what the server renders when something has
// changed; this module replaces the parts that differ.

const main = document.querySelector('main');
const freshness = document.querySelector('#freshness');
const silentAfter = 40e3; // a stream that says nothing for so long is not live
const askAgain = 20e3;    // each message is answered: that is how we hear that the stream lives

// ---- times in the zone of who looks

const zoneButton = document.querySelector('#zone');
let utc = sessionStorage.getItem('utc') === 'yes';
const zone = () => (utc ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone);
const forms = {
  full: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
  second: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  hour: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
};
function stamp(at, form = 'full') {
  return new Intl.DateTimeFormat('en-GB', { ...forms[form], timeZone: zone() }).format(at);
}
function localise(root) {
  for (const el of root.querySelectorAll('time[datetime], [data-time]')) {
    el.textContent = stamp(new Date(el.getAttribute('datetime') ?? el.dataset.time), el.dataset.form);
  }
  count(root);
  const knob = root.querySelector('[data-window]');
  if (knob) knob.setAttribute('aria-valuetext', stamp(new Date(knob.dataset.start)));
}
// How long something lasts still.
function count(root) {
  for (const el of root.querySelectorAll('[data-countdown]')) {
    const left = Math.ceil((new Date(el.dataset.countdown) - Date.now()) / 1000);
    el.textContent = left > 0 ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left` : 'over';
  }
}
function showZone() {
  zoneButton.hidden = false;
  zoneButton.textContent = utc ? 'Show local times instead of UTC' : 'Show times in UTC';
  zoneButton.setAttribute('aria-pressed', String(utc));
  localise(document);
  for (const field of timeFields) field.show();
}
zoneButton.addEventListener('click', () => {
  utc = !utc;
  sessionStorage.setItem('utc', utc ? 'yes' : 'no');
  showZone();
});

// Fields for times are in the zone of who fills them in; what is sent is UTC.
const timeFields = [...document.querySelectorAll('input[type=datetime-local]')].map((field) => {
  const sent = document.createElement('input');
  sent.type = 'hidden';
  sent.name = field.name;
  sent.value = field.value && new Date(`${field.value}Z`).toISOString(); // it may have been filled in already, without seconds
  field.removeAttribute('name');
  field.after(sent);
  const hint = field.labels[0].querySelector('[data-zone-hint]');
  const words = hint.textContent;
  field.addEventListener('input', () => {
    sent.value = field.value ? new Date(utc ? `${field.value}Z` : field.value).toISOString() : '';
  });
  return {
    id: field.id,
    show(iso = sent.value) {
      sent.value = iso;
      hint.textContent = words.replace('in UTC', `in ${zone()}`);
      field.value = iso && wall(new Date(iso));
    },
  };
});
// What a clock on the wall shows, as a field for times wants it.
function wall(at) {
  const shifted = utc ? at : new Date(at - at.getTimezoneOffset() * 60e3);
  return shifted.toISOString().slice(0, 19);
}

// ---- how fresh the page is

let heard = Date.now();
let state = 'stale';
let note = '';
function fresh(newState, newNote = '') {
  state = newState;
  note = newNote;
  if (state === 'live') heard = Date.now();
  tell();
}
const stale = document.querySelector('#stale');
const oldAfter = 3e3; // a connection that comes back sooner has nothing to be told of
function tell() {
  const age = Math.round((Date.now() - heard) / 1000);
  const old = 'live' in main.dataset && state !== 'live' && (note !== '' || Date.now() - heard > oldAfter);
  main.classList.toggle('old', old);
  stale.hidden = !old;
  const why = note || `The server does not answer. What is shown here was so ${age} s ago.`;
  if (stale.textContent !== why) stale.textContent = why;
  freshness.dataset.freshness = state;
  const texts = { live: 'Live', stale: `${age} s old`, reconnecting: `Reconnecting, ${age} s old` };
  const text = note || texts[state];
  if (freshness.textContent !== text) freshness.textContent = text;
}

// ---- replacing what the server renders anew

// While the window is dragged the page stays as it is: what it becomes is asked for when the window is dropped. So it does
// while a form is being carried out: another page follows.
function replace(html) {
  if (dragging || sending) return;
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const part of page.querySelectorAll('[data-part]')) {
    const old = document.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!old) continue;
    localise(part);
    for (const el of part.querySelectorAll('[name=idempotency_key]')) el.setAttribute('value', press + el.getAttribute('value'));
    become(old, document.adoptNode(part));
  }
}
// Makes an element what another is, touching only what differs: what has the focus keeps it, and what is read
// aloud when it changes is not read again.
function become(old, other) {
  if (old.isEqualNode(other)) return;
  if (old.nodeName !== other.nodeName || old.id !== other.id) { old.replaceWith(other); return; }
  if (old.nodeType !== Node.ELEMENT_NODE) { old.data = other.data; return; }
  for (const { name } of [...old.attributes]) if (!other.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  for (const { name, value } of other.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const now = [...old.childNodes];
  const then = [...other.childNodes];
  then.forEach((child, i) => { if (now[i]) become(now[i], child); else old.append(child); });
  now.slice(then.length).forEach((child) => child.remove());
}

// ---- sending a form once

let sending = false;
const sentWithin = 20e3; // after which a button may be pressed again: it is known then what came of the first press
// One press of any button here. What is replaced is rendered for many pages, and comes without.
const press = document.querySelector('[name=idempotency_key]')?.value.split('.')[0]
  || [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');
function busy(is) {
  sending = is;
  for (const button of document.querySelectorAll('main button[type=submit], main button:not([type])')) button.disabled = is;
}
document.addEventListener('submit', (event) => {
  if ((event.submitter?.getAttribute('formmethod') ?? event.target.method) !== 'post') return;
  if (sending) { event.preventDefault(); return; }
  sending = true;
  setTimeout(busy, 0, true); // a button that is disabled already is not sent
  setTimeout(busy, sentWithin, false);
});
// A page that comes back as it was left has keys that were used, and an answer that is old.
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });

// ---- the one connection of a page

let socket = null;
let attempt = 0;
// Keeps a WebSocket of the page's address open.
function keep() {
  const url = new URL(location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  url.hash = '';
  socket = new WebSocket(url, 'oc.page.v1');
  let asking;
  socket.onopen = () => {
    attempt = 0;
    if (following) follow();
    asking = setInterval(tellServer, askAgain, {});
  };
  socket.onmessage = ({ data }) => hear(JSON.parse(data));
  socket.onclose = ({ code }) => {
    clearInterval(asking);
    if (code === 4404 || code === 4401) {
      fresh('stale', code === 4404 ? 'This was removed, or has ended.' : 'You may not see this any more. Load the page again.');
      return;
    }
    fresh('reconnecting');
    if (attempt > 0) lookForSession();
    setTimeout(keep, Math.min(250 * 2 ** attempt++, 8000) * (0.5 + Math.random()));
  };
}
function tellServer(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}
// A session that has ended is no outage: the page leads to the log-in.
async function lookForSession() {
  const response = await fetch(location.href, { method: 'HEAD', redirect: 'manual' }).catch(() => null);
  if (response?.type === 'opaqueredirect') location.reload();
}
function hear(message) {
  if (message.type === 'stale' || message.type === 'refused') {
    fresh('stale', message.why);
    return;
  }
  if (message.type !== 'live' || note === '') fresh('live');
  if (message.type === 'view') replace(message.html);
  else if (message.execution_id === following) outputSays[message.type]?.(message.event);
}

// ---- the output of an execution

const output = document.querySelector('#output');
const outputText = document.querySelector('#output-text');
const outputState = document.querySelector('#output-state');
const mostOutput = 1 << 20; // characters that a page keeps
let following = '';
let offset = 0;
let decoders = {}; // by source: a character may be cut between two pieces
const outputSays = {
  output(piece) {
    const bytes = Uint8Array.from(atob(piece.data), (c) => c.charCodeAt(0));
    const decoder = decoders[piece.source] ??= new TextDecoder();
    const atEnd = outputText.scrollTop + outputText.clientHeight >= outputText.scrollHeight - 4;
    outputText.append(decoder.decode(bytes, { stream: true }));
    while (outputText.textContent.length > mostOutput && outputText.firstChild) outputText.firstChild.remove();
    if (atEnd) outputText.scrollTop = outputText.scrollHeight;
    offset = piece.offset;
  },
  end(execution) {
    const code = execution.exit_code === undefined ? '' : `, exit code ${execution.exit_code}`;
    outputState.textContent = `It has ended: ${execution.state}${code}.`;
  },
  error(problem) { outputState.textContent = problem.detail ?? problem.title; },
};
function follow() {
  tellServer({ output: following, offset });
}
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('[data-output]');
  if (!link || !output || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  following = link.dataset.output;
  offset = 0;
  decoders = {};
  outputText.textContent = '';
  outputState.textContent = 'Following.';
  document.querySelector('#output-of').textContent = following;
  output.hidden = false;
  outputText.focus();
  follow();
});

// ---- moving the window

let dragging = false;
const timeOf = (figure, x) => {
  const from = Date.parse(figure.dataset.from);
  return from + (Date.parse(figure.dataset.to) - from) * x;
};
// The address says what is asked, so that it can be sent to somebody.
function moveTo(start) {
  const knob = document.querySelector('[data-window]');
  const length = Date.parse(knob.dataset.end) - Date.parse(knob.dataset.start);
  const iso = new Date(start).toISOString().replace('.000', '');
  const address = new URL(location.href);
  address.searchParams.set('start', iso);
  if (address.searchParams.has('end')) {
    address.searchParams.delete('end');
    address.searchParams.set('duration', `${length / 1000}s`);
  }
  address.searchParams.delete('as_possible');
  document.querySelector('[name=as_possible]').checked = false;
  address.searchParams.delete('changed');
  history.replaceState(null, '', address);
  timeFields.find((field) => field.id === 'start')?.show(iso);
  tellServer({ query: address.search.slice(1) });
}
// The nearest time of a grid, in seconds, as a clock on the wall shows it.
function onGrid(at, grid) {
  const shift = utc ? 0 : new Date(at).getTimezoneOffset() * 60e3;
  return Math.round((at - shift) / (grid * 1e3)) * grid * 1e3 + shift;
}
const steps = { ArrowLeft: -300e3, ArrowDown: -300e3, ArrowRight: 300e3, ArrowUp: 300e3, PageUp: 3600e3, PageDown: -3600e3 };
document.addEventListener('keydown', (event) => {
  const knob = event.target.closest?.('[data-window]');
  if (!knob || !(event.key in steps)) return;
  event.preventDefault();
  const before = Date.parse(knob.dataset.start);
  const start = onGrid(before + steps[event.key], 60);
  knob.dataset.end = new Date(Date.parse(knob.dataset.end) + start - before).toISOString();
  knob.dataset.start = new Date(start).toISOString();
  moveTo(start);
});
document.addEventListener('pointerdown', (event) => {
  const knob = event.target.closest?.('[data-window]');
  const figure = document.querySelector('.timeline');
  if (!knob || !figure) return;
  event.preventDefault();
  const track = knob.ownerSVGElement.getBoundingClientRect();
  const grip = timeOf(figure, (event.clientX - track.left) / track.width) - Date.parse(knob.dataset.start);
  let start = Date.parse(knob.dataset.start);
  const move = (e) => {
    start = onGrid(timeOf(figure, (e.clientX - track.left) / track.width) - grip, e.shiftKey ? 1 : Number(knob.dataset.grid));
    const from = Date.parse(figure.dataset.from);
    knob.setAttribute('x', String((start - from) / (Date.parse(figure.dataset.to) - from) * 1000));
  };
  const drop = () => {
    dragging = false;
    knob.removeEventListener('pointermove', move);
    moveTo(start);
  };
  dragging = true;
  knob.setPointerCapture(event.pointerId);
  knob.addEventListener('pointermove', move);
  knob.addEventListener('pointerup', drop, { once: true });
  knob.focus();
});

// ---- a rhythm of one's own and one of those there are exclude each other

const repeat = document.querySelector('#repeat');
const cron = document.querySelector('#cron');
cron?.addEventListener('input', () => { if (cron.value) repeat.value = 'own'; });
repeat?.addEventListener('change', () => { if (repeat.value !== 'own') cron.value = ''; });

// ---- go

showZone();
const zoneField = document.querySelector('#time_zone');
if (zoneField && !zoneField.value && !new URL(location.href).searchParams.has('time_zone')) zoneField.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
setInterval(() => {
  count(document);
  if (state === 'live' && Date.now() - heard > silentAfter) state = 'stale';
  tell();
}, 1000);
if ('live' in main.dataset) keep();
// A page that could not be shown yet comes by itself once it can.
async function comeAgain() {
  const response = await fetch(location.href, { method: 'HEAD' }).catch(() => null);
  if (response && response.status !== 503 && response.status !== 429) location.reload();
  else setTimeout(comeAgain, 1e3 * main.dataset.retry);
}
if (main.dataset.retry) setTimeout(comeAgain, 1e3 * main.dataset.retry);
