// The frame: where we are (all of it stands in the address), keys, messages, and what changes by itself.
import { render } from './lit-html-3.3.3/lit-html.js';
import { enter, get, post, gone, listen, query } from './api.js';
import { html, nothing, t, plain, many, ago, nameOf } from './parts.js';

export const PLACES = [
  ['search', 'Search', 's'], ['review', 'Review', 'r'], ['sessions', 'Sessions', 'e'], ['rules', 'Rules', 'u'],
  ['ledger', 'Ledger', 'l'], ['try', 'Try', 'y'], ['tasks', 'Tasks', 't'], null,
  ['memories', 'Memories', 'm'], ['documents', 'Documents', 'd'], ['graph', 'Graph', 'g'], ['projects', 'Projects', 'p'], ['health', 'Health', 'h'],
];
const FILES = { memory: 'memory', session: 'sessions', task: 'tasks', document: 'documents', more: 'more' };
/** What is done, and every message about it, is loaded with the first act; `load` tells where the server is gone. */
let acts = null;
const later = (name) => async (...words) => {
  const found = await (acts ??= import('./acts.js').catch(() => acts = null));
  return found ? found[name](...words) : load();
};
export const app = {
  route: null, place: null, data: null, trouble: null, overview: null, toasts: [], live: true,
  go, set, refresh, draw, act: later('act'), undo: later('undo'), toast: later('toast'), get: ask, post: tell,
};

// The address

export const link = (to, params) => query(`#/${to}`, { project: app.route?.params.project, ...params });

function read() {
  const [path, rest_] = location.hash.replace(/^#\/?/, '').split('?');
  const [name = '', ...rest] = path.split('/').map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
  return { name: name || 'search', id: rest.join('/'), params: Object.fromEntries(new URLSearchParams(rest_)) };
}

function go(to, params) { location.hash = link(to, params).slice(1); }

/** Changes parameters of this place without a new entry in the history. */
function set(params, { reload = true } = {}) {
  app.route.params = Object.fromEntries(Object.entries({ ...app.route.params, ...params }).filter(([, value]) => value != null && value !== ''));
  const { name, id } = app.route;
  history.replaceState(null, '', link(id ? `${name}/${encodeURIComponent(id)}` : name, app.route.params));
  return reload ? load() : draw();
}

// Questions carry the project; late answers are dropped.

function ask(path, params) { return get(path, { project: app.route.params.project, ...params }); }
function tell(path, body, params) { return post(path, body, { project: app.route.params.project, ...params }); }

/** The looks of what a first search does not show. */
let looked = null;
export const looks = () => looked ??= new Promise((wake) => {
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/places.css', onload: wake, onerror: () => { looked = null; wake(); } }));
});

let turn = 0;
async function load({ quiet = false } = {}) {
  const mine = ++turn;
  const { name } = app.route;
  const file = FILES[name] ?? (PLACES.some((each) => each?.[0] === name) ? name : 'search');
  try {
    const opened = import(`./${file}.js`).catch(gone);
    const [place, overview, data] = await Promise.all([opened, ask('/api/overview'), opened.then((each) => each.load(app.route, app)), file === 'search' || looks()]);
    if (mine !== turn) return;
    Object.assign(app, { place, overview, data, trouble: null });
  } catch (trouble) {
    if (mine !== turn) return;
    if (quiet && trouble.status === 0) return;
    Object.assign(app, { trouble, place: null });
  }
  app.at = location.hash;
  draw();
}

function refresh() { return load({ quiet: true }); }

async function arrive() {
  const before = app.route;
  app.came ||= !!before;
  app.route = read();
  await load();
  if (before && (before.name !== app.route.name || before.id !== app.route.id)) {
    scrollTo(0, 0);
    document.querySelector('main')?.focus({ preventScroll: true });
  }
}

// Keys: what they do is loaded with the first one.

let keys = null, coming = null;
/** One promise for all, so that keys pressed meanwhile keep their order. */
const loadKeys = () => coming ??= looks().then(() => import('./keys.js')).then((found) => keys = found).finally(() => { coming = null; });
const showKeys = async () => (keys ?? await loadKeys()).show();

function pressed(event) {
  if (keys) return keys.pressed(event);
  if (event.key === '/' && !event.target.closest?.('input, textarea, select')) event.preventDefault();
  return loadKeys().then((found) => found.pressed(event), () => {});
}

// Drawing

const count = (name) => name === 'projects' ? app.overview?.projects.length : app.overview?.counts[name];
const HOME = { session: 'sessions', document: 'documents', task: 'tasks', memory: 'memories' };
const current = (name) => name === (HOME[app.route?.name] ?? app.route?.name) ? 'page' : nothing;

const side = () => html`<nav class="side" aria-label="Places">${PLACES.map((each) => each ? html`<a href=${link(each[0])} aria-current=${current(each[0])}>${each[1]}${
  count(each[0]) ? html`<span class=${each[0] === 'review' ? 'count due' : 'count'}>${many(count(each[0]))}</span>` : nothing}</a>` : html`<h2>Everything</h2>`)}</nav>`;

const bottom = () => html`<nav class="bottom" aria-label="Places on a small screen">${['search', 'review', 'sessions'].map((name) => html`<a href=${link(name)} aria-current=${current(name)}>${
  PLACES.find((each) => each?.[0] === name)[1]}${name === 'review' && count(name) ? ` (${many(count(name))})` : ''}</a>`)}<a href=${link('more')} aria-current=${current('more')}>More</a></nav>`;

function picker() {
  const { overview, route } = app;
  if (!overview) return nothing;
  const names = [...new Set([overview.project, ...overview.projects.map((each) => each.name)])].filter(Boolean);
  const chosen = route.params.project ?? overview.project ?? '';
  const pick = (event) => go(HOME[route.name] ?? route.name, { ...(route.id ? {} : route.params), project: event.target.value });
  return html`<select aria-label="Project" @change=${pick}>${names.map((name) => html`<option value=${name} ?selected=${name === chosen}>${plain(name)}</option>`)}
    <option value="*" ?selected=${chosen === '*'}>All projects</option></select>`;
}

function state() {
  const { overview, live } = app;
  if (!live) return 'not connected';
  if (app.trouble) return '';
  if (!overview || overview.absent) return overview ? 'no database yet' : '';
  const seen = overview.last_seen;
  return [overview.read_only && 'read only', overview.author !== 'person' && `you act as ${plain(nameOf(overview.author))}`, seen && `${plain(seen.agent || 'an agent')} seen ${ago(seen.at)}`, 'live'].filter(Boolean).join(' · ');
}

const troubleView = ({ kind, message, hint, status }) => html`<div class="card empty"><h1>${TITLES[kind] ?? (status === 401 ? 'This page needs a key' : 'That did not work')}</h1><p class="wrap">${t(message)}</p>${
  hint ? /^recairn( [\w-]+){1,2}$/.test(hint) ? html`<code class="command">${t(hint)}</code>` : html`<p class="soft wrap">${t(hint)}</p>` : nothing}<button class="button" @click=${() => load()}>Try again</button></div>`;
const TITLES = {
  StoreBusy: 'The database is busy', StoreReadOnly: 'The database can only be read', StoreAbsent: 'There is no database yet', StoreDamaged: 'The database is damaged',
  StoreFull: 'The disk is full', SchemaTooNew: 'The database is newer than this recairn', NotFound: 'There is nothing here', Gone: 'The server is gone',
};

function draw() {
  const { place, data, route } = app;
  const title = app.trouble ? 'Trouble' : place?.title?.(data, route) ?? PLACES.find((each) => each?.[0] === route?.name)?.[1] ?? '';
  document.title = `${plain(title)} · recairn`;
  render(html`<a class="skip" href="#main" @click=${(event) => { event.preventDefault(); document.querySelector('main').focus(); }}>To the content</a>
    <header class="head"><a class="brand" href=${link('search')}><svg viewBox="0 0 24 24" aria-hidden="true"><ellipse cx="12" cy="19" rx="9.5" ry="3.4"/><ellipse cx="12" cy="12.6" rx="6.6" ry="2.7"/><ellipse cx="12" cy="7.2" rx="3.9" ry="2.1"/></svg>recairn</a>${
    picker()}<span class=${app.live ? 'state' : 'state off'}>${state()}</span><button class="button keys-button" @click=${showKeys}>Keys <kbd>?</kbd></button></header>
    <div class="body">${side()}<main id="main" tabindex="-1" data-at=${app.at ?? ''}>${app.trouble ? troubleView(app.trouble) : place && data ? [notices(), place.view(data, route, app)] : html`<p class="soft">Loading…</p>`}</main></div>
    ${bottom()}<div class="toasts" role="status">${app.toasts.map((each) => html`<div class="toast"><span>${t(each.words)}</span>${
      each.back ? html`<button class="button" @click=${() => app.undo(each.back)}>Undo</button>` : nothing}</div>`)}</div>`, frame);
}

const notices = () => app.overview?.notices.map((text) => html`<p class="card note small">${t(text)}</p>`);

// The beginning

addEventListener('hashchange', arrive);
addEventListener('keydown', pressed);
document.querySelector('noscript')?.remove();
const frame = document.body.appendChild(document.createElement('div'));

// No top-level await: places import this module, and would wait for ever.
async function begin() {
  app.route = read();
  try {
    await enter();
    app.route = null;
    await arrive();
  } catch (trouble) {
    Object.assign(app, { route: read(), trouble });
    draw();
  }
  let soon;
  listen(() => { clearTimeout(soon); soon = setTimeout(refresh, 250); }, (live) => { if (app.live !== live) { app.live = live; draw(); } });
}
begin();
