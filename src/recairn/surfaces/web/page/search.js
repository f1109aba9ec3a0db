// Search: what do we know, why in this order, and what would a search have found back then.
import { html, svg, nothing, t, plural, percent, short, meta, arms, utcDay } from './parts.js';
import { link } from './app.js';

const DAY = 86400000;
const FILTERS = ['kind', 'trust', 'replaced', 'docs', 'deep', 'profile', 'all'];

const asOf = (day) => day ? `${day}T23:59:59.999Z` : undefined;
const iso = (time) => new Date(time).toISOString().slice(0, 10);
const today = () => Math.floor(Date.now() / DAY) * DAY;

// What shows a memory is loaded with the first one to show.
let panel = null;

export async function load(route, app) {
  const { q, m, as_of: day, ...rest } = route.params;
  const opening = q || m ? import('./memory.js') : null;
  const filters = Object.fromEntries(FILTERS.map((name) => [name, rest[name]]));
  const [made, found, recent] = await Promise.all([
    app.get('/api/histogram', { kind: filters.kind, trust: filters.trust, docs: filters.docs }),
    q ? app.get('/api/search', { q, ...filters, as_of: asOf(day) }) : null,
    q ? null : app.get('/api/memories', { limit: 10, kind: filters.kind, trust: filters.trust, as_of: asOf(day) }),
  ]);
  const nearest = found && !found.hits.length ? await app.get('/api/search', { q, ...filters, as_of: asOf(day), all: 1, limit: 3 }) : null;
  const listed = found ? found.hits : recent.memories;
  const chosen = listed.find((each) => String(each.id) === m) ?? (innerWidth > 1040 && found ? listed[0] : null);
  if (chosen) panel = await opening;
  const memory = chosen ? await panel.loadMemory(chosen.id, app, asOf(day)) : null;
  if (!listed.length) missed ??= await import('./missed.js');
  return { made, found, recent, nearest, listed, chosen, memory };
}

export const title = (data, route) => route.params.q || 'Search';

export function view(data, route, app) {
  const { params } = route;
  const ask = (event) => { event.preventDefault(); app.set({ q: event.target.q.value.trim(), m: '' }); };
  return html`<h1 class="skip">Search</h1>
    <form class="row ask" role="search" @submit=${ask}><input id="question" class="field" type="search" name="q" .value=${params.q ?? ''} placeholder="What do we know about …" aria-label="Question" autocomplete="off"><button class="button main">Search</button></form>
    <div class="row chips" role="group" aria-label="Filters">
      <select class=${params.kind ? 'chip on' : 'chip'} aria-label="Kind" @change=${(event) => app.set({ kind: event.target.value, m: '' })}><option value="">All kinds</option>${
        app.overview.kinds.map((kind) => html`<option ?selected=${kind === params.kind}>${kind}</option>`)}</select>
      ${chip(app, 'trust', 'verified', 'Verified only', 'nothing that only an agent says')}${chip(app, 'replaced', '1', 'With replaced', 'also what is replaced by now')}${chip(app, 'docs', '1', 'Documents too', 'also pieces of files and pages')}${chip(app, 'deep', '1', 'Deep', 'reads the best twenty again; slower')}
      <select class=${params.profile ? 'chip on' : 'chip'} aria-label="Profile" @change=${(event) => app.set({ profile: event.target.value })}><option value="">Profile: default</option>${
        app.overview.profiles.filter((each) => each !== 'default').map((name) => html`<option value=${name} ?selected=${name === params.profile}>Profile: ${name}</option>`)}</select></div>
    ${slider(data.made, params, app)}${past(data, params, app)}
    ${data.listed.length ? html`<div class="split ${data.memory ? '' : 'alone'}"><div class="stack">${heading(data, params)}<ol class="list rows">${data.listed.map((hit) => entry(hit, data, route, app))}</ol>${
      data.found ? missed?.form(app) || html`<p class="small soft">Not what you looked for? <button class="link" @click=${() => miss(app)}>I missed…</button></p>` : html`<p><a href=${link('memories')}>All memories</a></p>`}</div>${
      data.memory ? html`<aside class="card" aria-label="The memory">${panel.memoryView(data.memory, app, hitOf(data))}</aside>` : nothing}</div>` : missed.none(data, params, app, (hit) => entry(hit, { chosen: null }, { params }, app))}`;
}

const chip = (app, name, value, words, about) => html`<button class="chip" title=${about} aria-pressed=${String(app.route.params[name] === value)} @click=${() => app.set({ [name]: app.route.params[name] === value ? '' : value, m: '' })}>${words}</button>`;

// As of

function slider(made, params, app) {
  if (!made.bins.length) return nothing;
  const first = Math.floor(new Date(made.bins[0].start) / DAY) * DAY, last = today(), span = Math.max(1, Math.round((last - first) / DAY));
  const at = params.as_of ? Math.max(0, Math.min(span, Math.round((new Date(params.as_of) - first) / DAY))) : span;
  const width = { day: 1, week: 7, month: 30 }[made.by] ?? 1, step = 1000 / (span + width), top = Math.max(...made.bins.map((bin) => bin.count));
  const move = (event) => { const day = Number(event.target.value); app.set({ as_of: day >= span ? '' : iso(first + day * DAY) }); };
  return html`<div class="asof"><label class="label" for="asof"><b>As of</b> ${params.as_of ? utcDay(params.as_of) : 'now'}<span class="tiny soft">since ${utcDay(first)}</span></label>
    <svg viewBox="0 0 1000 28" preserveAspectRatio="none" aria-hidden="true">${made.bins.map((bin) => {
      const height = 4 + 24 * bin.count / top, x = step * (new Date(bin.start) - first) / DAY;
      return svg`<rect class=${params.as_of && bin.start.slice(0, 10) > params.as_of ? 'given late' : 'given'} x=${x} y=${28 - height} width=${Math.max(3, step * width - 2)} height=${height}></rect>`;
    })}</svg><input id="asof" type="range" min="0" max=${span} .value=${String(at)} @change=${move} aria-valuetext=${params.as_of ? utcDay(params.as_of) : 'now'}></div>`;
}

function past(data, params, app) {
  if (!params.as_of) return nothing;
  const newer = data.made.bins.filter((bin) => bin.start.slice(0, 10) > params.as_of).reduce((sum, bin) => sum + bin.count, 0);
  return html`<p class="card note"><b>You are looking at ${utcDay(params.as_of)}.</b> ${params.q ? 'A search on that day would have found this.' : 'This is what was known at the end of that day.'} ${
    newer ? `${plural(newer, 'memory is', 'memories are')} newer. ` : ''}<button class="link" @click=${() => app.set({ as_of: '' })}>Back to now</button></p>`;
}

// Hits

const heading = (data, params) => data.found ? html`<div class="row spread small soft"><span><b>${data.found.meta.returned}</b> of ${plural(data.found.meta.candidates, 'candidate')}${params.all ? ', the nearest' : ''}</span>
  <span class="row"><span><span class="dot words"></span>words</span><span><span class="dot meaning"></span>meaning</span><span><span class="dot agree"></span>agreement</span></span></div>${data.found.meta.notices.map((text) => html`<p class="small soft">${t(text)}</p>`)}`
  : html`<h2 class="small soft">${data.recent.meta.total > data.listed.length ? `The newest of ${plural(data.recent.meta.total, 'memory', 'memories')}` : 'The newest memories'}</h2>`;

const spans = (hit) => hit.spans?.some((span) => span.mark) ? hit.spans.map((span) => span.mark ? html`<mark>${t(span.text)}</mark>` : t(span.text)) : t(short(hit.content, 260));
const marked = (hit) => hit.title ? html`<b>${t(short(hit.title, 120))}</b> ${spans(hit)}` : spans(hit);

function entry(hit, data, route, app) {
  const on = data.chosen?.id === hit.id;
  const open = (event) => { if (event.ctrlKey || event.metaKey || innerWidth <= 1040) return; event.preventDefault(); app.set({ m: hit.id }); };
  return html`<li class=${on ? 'on' : ''}><a class="item ${hit.terms ? 'hit' : ''}" href=${link(`memory/${hit.id}`, { as_of: route.params.as_of })} aria-current=${on ? 'true' : nothing} @click=${open}>${
    hit.terms ? html`<span><span class="score">${hit.match === 'listed' ? nothing : percent(hit.chance ?? hit.score)}</span>${arms(hit.terms)}</span>` : nothing}<span><span class="wrap">${marked(hit)}</span>${meta(hit, { project: app.overview.project })}${
    hit.why ? html`<span class="small soft">${t(hit.why)}</span>` : nothing}</span></a></li>`;
}

const hitOf = (data) => data.chosen?.terms ? { hit: data.chosen, rank: data.listed.indexOf(data.chosen) + 1 } : {};

// What is said where nothing was found, or something else was wanted, is loaded then.
let missed = null;
const miss = async (app) => { missed = await import('./missed.js'); missed.begin(app); };

// Keys

export function keys(data, route, app) {
  const at = data.listed.findIndex((each) => each.id === data.chosen?.id);
  const to = (by) => { const next = data.listed[Math.max(0, Math.min(data.listed.length - 1, at + by))]; if (next) app.set({ m: next.id }).then(() => document.querySelector('.rows .on')?.scrollIntoView({ block: 'nearest' })); };
  const days = (by) => { const now = route.params.as_of ? new Date(route.params.as_of) : today(); const next = Number(now) + by * DAY; app.set({ as_of: next >= today() ? '' : iso(next) }); };
  return {
    j: () => to(1), k: () => to(-1), '[': () => days(-1), ']': () => days(1),
    Enter: () => data.chosen && (location.hash = link(`memory/${data.chosen.id}`).slice(1)),
    ...(data.memory ? panel.memoryKeys(data.memory, app) : {}),
  };
}
