// One memory: may I trust it? Its text, its life, and everything that can be done to it.
import { html, svg, nothing, t, plain, place as address, when, day, plural, short, doubts, nameOf } from './parts.js';
import { link } from './app.js';

// Loaded when somebody wants to write.
let editor = null;
export const loadEditor = async () => { editor ??= await import('./edit.js'); return editor; };
const draft = () => editor?.editing();

export const loadMemory = (id, app, as_of) => app.get(`/api/memories/${encodeURIComponent(id)}`, { as_of });

export const load = async (route, app) => (await loadEditor()) && loadMemory(route.id, app, route.params.as_of ? `${route.params.as_of}T23:59:59.999Z` : undefined);
export const title = (memory) => `#${memory.id}`;
export const view = (memory, route, app) => html`<p class="small"><a href=${link('memories')}>Memories</a> / #${memory.id}</p>${
  route.params.as_of ? html`<p class="card note"><b>As it was on ${day(route.params.as_of)}.</b> <button class="link" @click=${() => app.set({ as_of: '' })}>Back to now</button></p>` : nothing}
  <div class="cols"><article class="card">${memoryView(memory, app, { whole: true })}</article><aside class="stack"><div class="card">${life(memory, app)}</div>${memory.links.length ? html`<div class="card">${links(memory)}</div>` : nothing}</aside></div>`;
export const keys = (memory, route, app) => memoryKeys(memory, app);

// Acts

const path = (memory, act) => `/api/memories/${memory.id}/${act}`;
const write = async (memory, mode, app) => (await loadEditor()).begin(memory, mode, app);
const forget = (memory, app) => app.act(`#${memory.id} is forgotten`, path(memory, 'forget'), { expect: memory.version });
const restore = (memory, app) => app.act(`#${memory.id} is back`, path(memory, 'restore'));
const rate = (memory, app, score) => app.act(score ? `#${memory.id} helped` : `#${memory.id} did not help`, path(memory, 'rate'), { score, query: app.route.params.q ?? '' });

const fixed = (app) => app.overview.read_only || app.route.params.as_of;

export const memoryKeys = (memory, app) => fixed(app) ? {} : ({
  e: () => write(memory, 'edit', app), s: () => write(memory, 'replace', app),
  '+': () => rate(memory, app, 1), '-': () => rate(memory, app, 0), '−': () => rate(memory, app, 0),
  Delete: () => memory.deleted_at ? restore(memory, app) : forget(memory, app),
  ...(memory.trust === 'unverified' ? { a: () => accept(memory, app), x: () => drop(memory, app) } : {}),
  ...(draft() ? { Escape: () => editor.cancel(app) } : {}),
});

export const accept = (memory, app) => app.act(`#${memory.id} is accepted`, path(memory, 'accept'));
export const drop = (memory, app) => app.act(`#${memory.id} is dropped`, path(memory, 'drop'));

function actions(memory, app) {
  const button = (words, key, run, kind = '') => html`<button class="button ${kind}" @click=${run}>${words}${key ? html` <kbd>${key}</kbd>` : nothing}</button>`;
  if (fixed(app)) return html`<p class="small soft">Only to be read here.</p>`;
  if (memory.deleted_at || (memory.expires_at && new Date(memory.expires_at) <= new Date())) return html`<div class="row">${button('Restore', 'Del', () => restore(memory, app), 'main')}</div>`;
  const more = async (event) => { const name = event.target.value; event.target.value = ''; (await loadEditor()).further(name, memory, app); };
  return html`<div class="row">${memory.trust === 'unverified' ? [button('Accept', 'a', () => accept(memory, app), 'main'), button('Drop', 'x', () => drop(memory, app))] : nothing}${
    button('Edit', 'e', () => write(memory, 'edit', app))}${button('Replace', 's', () => write(memory, 'replace', app))}${button('Helped', '+', () => rate(memory, app, 1))}${
    button('Did not help', '−', () => rate(memory, app, 0))}${button('Forget', 'Del', () => forget(memory, app), 'bad')}
    <select class="more" aria-label="More to do" @change=${more}><option value="">More…</option><option value="correct">Correct</option><option value="pin">${memory.pinned ? 'Unpin' : 'Pin'}</option><option value="expire">Expire now</option>${
      memory.tier === 'global' ? nothing : html`<option value="promote">${memory.tier === 'session' ? 'For the project' : 'For all projects'}</option>`}${
      app.overview.projects.filter((each) => each.name !== memory.project).map((each) => html`<option value="to ${each.name}">Move to ${plain(each.name)}</option>`)}</select></div>`;
}

// Looks

export function memoryView(memory, app, { hit, rank, whole } = {}) {
  const size = whole ? html`<h1 class="wrap">${t(memory.title || memory.content)}</h1>` : html`<h2 class="wrap">${t(memory.title || memory.content)}</h2>`;
  return html`<div class="stack"><div class="meta">${whole ? nothing : html`<a class="mono" href=${link(`memory/${memory.id}`, { as_of: app.route.params.as_of })}>#${memory.id}</a>`}<span>${t(memory.kind)}</span>${memory.category ? html`<span>${t(memory.category)}</span>` : nothing}${
    memory.trust === 'verified' ? html`<span class="tag good">verified</span>` : nothing}${doubts(memory)}</div>
    ${draft()?.id === memory.id ? editor.form(memory, app) : html`${size}${memory.title && memory.title !== memory.content ? html`<p class="wrap">${t(memory.content)}</p>` : nothing}${actions(memory, app)}`}
    ${facts(memory)}${hit ? why(hit, rank) : nothing}${chain(memory)}${whole ? editor.versions(memory) : [life(memory, app), links(memory)]}</div>`;
}

const NAMES = { alternatives: 'Instead of', source_ref: 'From', stale: 'May be stale' };
const named = (key) => NAMES[key] ?? key[0].toUpperCase() + key.slice(1).replaceAll('_', ' ');
const shown = (value) => Array.isArray(value) ? value.map((each) => short(each, 400)).join('; ') : typeof value === 'object' && value ? JSON.stringify(value) : String(value);

function facts(memory) {
  const rows = [...Object.entries(memory.fields ?? {}), ['keywords', memory.keywords], ['scope', memory.scope], ['branch', memory.branch], ['stale', memory.stale], ['project', memory.tier === 'global' ? 'all projects' : memory.project],
    ['author', nameOf(memory.author)], ['written', day(memory.created_at)], ['source_ref', memory.source_ref], ['session', memory.session], ['expires_at', memory.expires_at && day(memory.expires_at)]].filter(([, value]) => value !== '' && value != null && value !== false && !(Array.isArray(value) && !value.length));
  return html`<dl class="facts">${rows.map(([key, value]) => html`<dt>${t(named(key))}</dt><dd>${key === 'session' ? html`<a href=${link(`session/${encodeURIComponent(value)}`)}>${t(value)}</a>` : key === 'source_ref' ? address(value) : t(shown(value))}</dd>`)}</dl>`;
}

const SIGNALS = { keyword: 'words', semantic: 'meaning', reranker: 'second look' };

function why(hit, rank) {
  const effect = ({ value, weight, effect: how }) => how === 'add' ? weight * value : how === 'tilt' ? 1 + weight * (value - .5) : how === 'gate' ? 1 - weight * (1 - value) : 1 + weight * value;
  const rows = Object.entries(hit.terms).map(([name, term]) => ({ name, ...term, moves: effect(term) }));
  const counts = rows.filter((row) => row.effect === 'add' || Math.abs(row.moves - 1) >= .001), idle = rows.filter((row) => !counts.includes(row));
  const kind = { keyword: 'words', semantic: 'meaning', agreement: 'agree' };
  const bar = (row) => {
    const size = Math.min(1, Math.abs(row.value - row.neutral) / (row.effect === 'add' ? .4 * (1 - row.neutral) : .5)), left = row.effect !== 'add';
    const up = row.moves >= 1, width = (left ? 30 : 60) * size;
    return svg`<rect class=${kind[row.name] ?? (left ? up ? 'up' : 'down' : 'words')} x=${left ? up ? 30 : 30 - width : 0} y="2" width=${width} height="6"></rect>`;
  };
  return html`<section class="stack"><h2 class="sub">Why it is number ${rank} for this question</h2><p class="small">${t(hit.why)}</p><div class="scroll"><table><thead><tr><th>signal</th><th><span class="skip">from its neutral value</span></th><th class="num">value</th><th class="num">effect</th></tr></thead><tbody>${counts.map((row) => html`
    <tr><td>${SIGNALS[row.name] ?? row.name}</td><td><svg width="60" height="10" viewBox="0 0 60 10" aria-hidden="true">${bar(row)}</svg></td><td class="num">${row.value.toFixed(2)}${row.effect === 'add' ? ` × ${row.weight.toFixed(2)}` : ''}</td><td class="num">${row.effect === 'add' ? '+' : '×'}${row.moves.toFixed(3)}</td></tr>`)}</tbody></table></div>
    ${idle.length ? html`<p class="small soft">Without effect: ${idle.map((row) => row.name).join(', ')}</p>` : nothing}
    <p class="mono soft wrap">${hit.sum}<br>${hit.sure}</p></section>`;
}

const VERBS = { created: 'written', updated: 'edited', deleted: 'forgotten', superseded: 'replaced', verified: 'accepted', promoted: 'seen more widely', reinforced: 'strengthened' };

function life(memory, app) {
  const who = (entry) => entry.author && entry.author !== 'person' ? ` by ${plain(nameOf(entry.author))}` : entry.event === 'created' ? ' by hand' : '';
  const before = memory.chain[memory.chain.findIndex((generation) => generation.some((each) => each.id === memory.id)) - 1] ?? [];
  const more = ({ event, changes, reason, undo_of }) => {
    const edge = changes.edge?.after ?? changes.edge?.before;
    if (edge?.target) return html` to <a href=${link(`memory/${edge.target}`)}>#${edge.target}</a> <span class="soft">(${t(String(edge.relation).replaceAll('_', ' '))})</span>`;
    if (event === 'created' && before.length) return html`; replaced ${before.map((each) => html`<a href=${link(`memory/${each.id}`)}>#${each.id}</a> `)}`;
    return reason && event !== 'rated' && !undo_of ? html` <span class="soft">(${t(short(reason, 120))})</span>` : nothing;
  };
  const undone = new Set(memory.history.map((event) => event.undo_of).filter(Boolean));
  const verb = ({ event, reason }) => event === 'rated' ? parseFloat(reason) < .5 ? 'did not help' : 'helped' : VERBS[event] ?? t(event);
  const took = memory.history.map((event) => ({ at: event.at, what: html`${undone.has(event.id) ? html`<del>${verb(event)}</del>` : event.undo_of ? 'taken back' : verb(event)}${who(event)}${
    more(event)}${event.event !== 'created' && !event.undo_of && !undone.has(event.id) && !fixed(app) ? html` <button class="link" @click=${() => app.act('Taken back', '/api/undo', { events: [event.id] })}>undo</button>` : nothing}` }));
  const out = memory.handed_out;
  const told = (entry) => html`<dt>${when(entry.at)}</dt><dd>${t(entry.agent || entry.surface)}${entry.session ? html` in <a href=${link(`session/${encodeURIComponent(entry.session)}`)}>${t(short(entry.session, 24))}</a>` : nothing}, ${plural(entry.tokens, 'token')}${entry.used ? html`, <b>${t(entry.used)}</b>` : nothing}</dd>`;
  return html`<section class="stack"><h2 class="sub">Life</h2>${memory.history_left_out ? html`<p class="small soft">${plural(memory.history_left_out, 'older entry', 'older entries')}: recairn history ${memory.id}</p>` : nothing}
    <dl class="facts">${took.map((entry) => html`<dt>${when(entry.at)}</dt><dd>${entry.what}</dd>`)}</dl>${out.length ? html`<details class="small"><summary>handed out ${plural(memory.times_handed_out, 'time')}, ${memory.times_used ? `${memory.times_used} seen used` : 'not seen used'}</summary><dl class="facts">${out.map(told)}</dl>${out.length < memory.times_handed_out ? html`<p class="soft">and before that: recairn ledger</p>` : nothing}</details>` : html`<p class="small soft">never handed out</p>`}</section>`;
}

const chain = (memory) => memory.chain.length > 1 ? html`<p class="small"><span class="soft">Replaced:</span> ${memory.chain.map((generation, at) => html`${at ? ' → ' : ''}${generation.map((each) => each.id === memory.id ? html`<b>#${each.id}</b> ` : html`<a href=${link(`memory/${each.id}`)} title=${plain(short(each.content))}>#${each.id}</a> `)}`)}</p>` : nothing;

const links = (memory) => memory.links.length ? html`<section class="stack"><div class="row spread"><h2 class="sub">Linked</h2><a class="small" href=${link(`graph/${memory.id}`)}>as a graph</a></div><ul class="stack small">${memory.links.map((each) => html`<li><a href=${link(`memory/${each.id}`)}>#${each.id}</a> <span class="soft">${each.forward ? '' : '← '}${t(each.relation.replaceAll('_', ' '))}</span> ${t(short(each.label, 110))}</li>`)}</ul></section>` : nothing;
