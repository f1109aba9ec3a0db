// Memories: everything by filter, and acts on many at once.
import { html, nothing, t, plain, plural, many, short, meta, empty } from './parts.js';
import { link } from './app.js';

const FILTERS = ['kind', 'trust', 'category', 'author', 'source', 'hidden', 'order', 'replaced', 'since', 'before', 'in_session'];
// What an act is for: the memories ticked, or (`whole`) all that fit.
let ticked = new Set(), whole = false, preview = null;

const filters = (params) => Object.fromEntries(FILTERS.map((name) => [name, params[name]]));

export async function load({ params }, app) {
  const page = await app.get('/api/memories', { ...filters(params), after: params.after });
  ticked = new Set([...ticked].filter((id) => page.memories.some((each) => each.id === id)));
  return page;
}

export function view({ memories, meta: about }, { params }, app) {
  const pick = (name) => (event) => { preview = null; app.set({ [name]: event.target.value, after: '' }); };
  const options = (name, words, values) => html`<select class=${params[name] ? 'chip on' : 'chip'} aria-label=${words} @change=${pick(name)}><option value="">${words}</option>${values.map((value) => html`<option value=${value[0] ?? value} ?selected=${(value[0] ?? value) === params[name]}>${value[1] ?? value}</option>`)}</select>`;
  const write = (event) => { event.preventDefault(); app.set({ category: event.target.category.value.trim(), since: event.target.since.value, before: event.target.before.value, after: '' }); };
  const narrow = FILTERS.some((name) => name !== 'order' && params[name]);
  return html`<div class="title"><h1>Memories</h1><span class="small soft">${about.total == null ? '' : plural(about.total, 'memory', 'memories')}${narrow ? html` fit. <a href=${link('memories', { order: params.order })}>Show all</a>` : ''}</span></div>
    <div class="row chips" role="group" aria-label="Filters">${options('kind', 'All kinds', app.overview.kinds.map((kind) => [kind, kind]))}${options('trust', 'Any trust', [['verified', 'verified'], ['unverified', 'to review'], ['attributed', 'attributed']])}${options('author', 'By anybody', [['person', 'by a person'], ['agent', 'by an agent'], ['import', 'imported']])}${options('hidden', 'In use', [['deleted', 'forgotten'], ['expired', 'expired']])}${options('order', 'Newest first', [['oldest', 'Oldest first']])}
      <button class="chip" aria-pressed=${String(params.replaced === '1')} @click=${() => app.set({ replaced: params.replaced ? '' : '1', after: '' })}>With replaced</button></div>
    <details ?open=${!!(params.category || params.since || params.before)}><summary class="small soft">Category and dates</summary><form class="filter" @submit=${write}><label class="stack">Category<input class="field" name="category" .value=${params.category ?? ''}></label><label class="stack">From<input class="field" type="date" name="since" .value=${params.since ?? ''}></label><label class="stack">Until<input class="field" type="date" name="before" .value=${params.before ?? ''}></label><button class="button">Filter</button></form></details>
    ${memories.length ? html`${app.overview.read_only ? nothing : bulk(memories, about, params, app)}<ol class="list">${memories.map((each) => row(each, app))}</ol>
    <div class="row">${params.after ? html`<a class="button" href=${link('memories', { ...params, after: '' })}>To the beginning</a>` : nothing}${about.next ? html`<a class="button" href=${link('memories', { ...params, after: about.next })}>More</a>` : nothing}</div>`
    : narrow || params.after ? empty('Nothing fits', 'No memory fits these filters.', '') : empty('Nothing is remembered here yet', 'What you and your agents keep is listed here.', 'recairn add "…"')}`;
}

const row = (memory, app) => html`<li class="ticks"><label class="item"><input type="checkbox" aria-label="Tick #${memory.id}" .checked=${ticked.has(memory.id)} @change=${(event) => { ticked[event.target.checked ? 'add' : 'delete'](memory.id); whole = false; preview = null; app.draw(); }}></label><a class="item grow" href=${link(`memory/${memory.id}`)}><span class="wrap">${t(short(memory.title ? `${memory.title}: ${memory.content}` : memory.content, 260))}</span>${meta(memory, { project: app.overview.project })}</a></li>`;

function bulk(memories, about, params, app) {
  const hidden = params.hidden, acts = hidden ? [['restore', 'Restore']] : [['forget', 'Forget'], ['pin', 'Pin'], ...(params.trust === 'unverified' ? [['accept', 'Accept'], ['drop', 'Drop']] : []), ['expire', 'Expire now']];
  const all = memories.every((each) => ticked.has(each.id)), total = about.total ?? 0;
  const choose = (some, every) => { ticked = new Set(some); whole = every; preview = null; app.draw(); };
  const others = hidden ? [] : app.overview.projects.map((each) => each.name).filter((name) => name !== app.overview.project);
  const look = async (act, more = {}) => {
    const body = { act, preview: true, ...(whole ? {} : { ids: [...ticked] }), ...(act === 'pin' ? { pinned: true } : {}), ...more };
    try { preview = { act, body, ...(await app.post('/api/memories/bulk', body, whole ? filters(params) : {})) }; app.draw(); document.querySelector('#go')?.focus(); } catch (trouble) { app.toast(trouble.message); }
  };
  const run = async () => {
    const { act, body, count } = preview;
    preview = null;
    const done = await app.act(`${plural(count, 'memory', 'memories')}: ${DONE[act]}`, '/api/memories/bulk', { ...body, preview: false, count }, body.ids ? {} : filters(params));
    if (done) choose([], false);
  };
  return html`<div class="row spread bulk"><span class="row small"><label class="row"><input type="checkbox" .checked=${all} @change=${(event) => choose(event.target.checked ? memories.map((each) => each.id) : [], false)}> ${
    whole ? `All ${many(total)} that fit` : ticked.size ? `${many(ticked.size)} ticked` : 'Tick these'}</label>${whole || ticked.size ? html`<button class="link" @click=${() => choose([], false)}>none</button>` : nothing}${
    total > memories.length && !whole ? html`<button class="link" @click=${() => choose(memories.map((each) => each.id), true)}>all ${many(total)} that fit</button>` : nothing}</span>
    <span class="row" ?hidden=${!whole && !ticked.size}>${acts.map(([act, words]) => html`<button class="button ${act === 'forget' || act === 'drop' ? 'bad' : ''}" @click=${() => look(act)}>${words}…</button>`)}${others.length ? html`<select aria-label="Move to a project" @change=${(event) => { const project = event.target.value; event.target.value = ''; look('move', { project }); }}><option value="">Move to…</option>${others.map((name) => html`<option value=${name}>${plain(name)}</option>`)}</select>` : nothing}</span></div>
    ${preview ? html`<div class="card note stack" role="alert"><b>${ASKED[preview.act]} ${plural(preview.count, 'memory', 'memories')}?</b><ul class="small">${preview.first.map((each) => html`<li>#${each.id} ${t(short(each.title || each.content, 110))}</li>`)}${preview.count > preview.first.length ? html`<li class="soft">and ${many(preview.count - preview.first.length)} more</li>` : nothing}</ul>
      <div class="row"><button id="go" class="button main" @click=${run}>${ASKED[preview.act]} ${many(preview.count)}</button><button class="button" @click=${() => { preview = null; app.draw(); }}>Cancel</button></div></div>` : nothing}`;
}

const ASKED = { move: 'Move', forget: 'Forget', restore: 'Restore', pin: 'Pin', accept: 'Accept', drop: 'Drop', expire: 'Expire' };
const DONE = { move: 'moved', forget: 'forgotten', restore: 'restored', pin: 'pinned', accept: 'accepted', drop: 'dropped', expire: 'expired' };
