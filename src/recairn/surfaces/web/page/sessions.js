// Sessions, and one of them: what did the agent know, and when?
import { html, nothing, t, plain, plural, many, when, day, clock, short, empty } from './parts.js';
import { plot, legend } from './plots.js';
import { link } from './app.js';

export const load = async (route, app) => route.name === 'session'
  ? app.get(`/api/sessions/${encodeURIComponent(route.id)}`, { from: route.params.from }) : app.get('/api/sessions');
export const title = (data, route) => route.name === 'session' ? `What ${data.session.agent || 'the agent'} knew` : 'Sessions';
export const view = (data, route, app) => route.name === 'session' ? one(data, route, app) : all(data, app);

const all = ({ sessions }, app) => html`<h1>Sessions</h1>${sessions.length ? html`<ol class="list">${sessions.map((each) => html`<li><a class="item" href=${link(`session/${encodeURIComponent(each.id)}`)}>
  <span class="headline"><b class="wrap">${t(each.summary || `${each.agent || 'an agent'} in ${each.project || 'no project'}`)}</b><span class=${each.state === 'open' ? 'tag good' : 'tag'}>${each.state}</span></span>
  <span class="meta"><span class="mono">${t(short(each.id, 28))}</span><span>${t(each.agent)}</span>${each.project !== app.overview.project ? html`<span>${t(each.project)}</span>` : nothing}${each.branch ? html`<span>${t(each.branch)}</span>` : nothing}<span>${when(each.started_at)}</span><span>${used(each.uses)}</span></span></a></li>`)}</ol>`
  : empty('No session yet', 'A session appears here as soon as an agent with hooks begins one.', 'recairn install claude')}`;

const WORDS = { created: 'kept', recalled: 'handed out' };
const used = (uses) => Object.entries(uses).map(([name, count]) => `${many(count)} ${WORDS[name] ?? name}`).join(', ') || 'nothing handed out or kept';

const EVENTS = { start: 'Start', prompt: 'Prompt', edit: 'Edit', test: 'Test', stop: 'Stop', compact: 'Compacted', end: 'End', context: 'Context', search: 'Search' };

/** What a turn is called: prompts are counted, and so the plot and the list agree. */
function names(turns) {
  let prompts = 0;
  return turns.map((turn) => turn.event === 'prompt' ? `Prompt ${++prompts}` : EVENTS[turn.event] ?? turn.event);
}

function one({ session, turns, kept, notes, more, from }, route, app) {
  const called = names(turns), out = turns.filter((turn) => turn.tokens), given = turns.flatMap((turn) => turn.handed_out), used = given.filter((each) => each.used);
  const sum = (entries) => entries.reduce((all_, each) => all_ + each.tokens, 0);
  const about = [session.project, session.branch && `branch ${session.branch}`, `${session.state} since ${clock(session.started_at)} on ${day(session.started_at)}`].filter(Boolean).join(', ');
  const moments = [...turns.map((turn, at) => ({ at: turn.at, view: (date) => turnView(turn, called[at], date) })), ...kept.map((each) => ({ at: each.at, view: (date) => keptView(each, app, date) }))].sort((a, b) => a.at < b.at ? -1 : 1);
  const talks = turns.map((turn, at) => ({ label: called[at].replace('Prompt ', ''), given: turn.tokens, used: sum(turn.handed_out.filter((each) => each.used)), event: turn.event })).filter((row) => row.given || row.event === 'prompt');
  return html`<div><p class="small"><a href=${link('sessions')}>Sessions</a> / <span class="mono">${t(short(session.id, 40))}</span></p><div class="title"><h1>What ${t(session.agent || 'the agent')} knew, and when</h1><span class="small soft">${t(about)}</span></div></div>
    <div class="card tiles"><div><b>${many(sum(out))}</b><span>tokens handed out, in ${out.length} of ${plural(turns.length, 'turn')}</span></div><div><b>${many(sum(used))}</b><span>of them seen used</span></div><div><b>${given.length}</b><span>memories given</span></div><div><b>${kept.length}</b><span>${kept.length === 1 ? 'memory' : 'memories'} kept</span></div></div>
    <div class="cols">${moments.length ? html`<ol class="list">${moments.map((moment, at) => moment.view(day(moment.at) === day(moments[at - 1]?.at ?? session.started_at) && at ? '' : day(moment.at)))}${more ? html`<li class="item"><a href=${link(`session/${encodeURIComponent(session.id)}`, { from: from + turns.length })}>Later turns</a></li>` : nothing}</ol>` : empty('Nothing is noted of this session', 'Turns are noted by the hooks of an agent.', 'recairn install --status')}
    <aside class="stack"><section class="card stack"><h2 class="sub">Tokens by turn</h2>${plot(talks, { width: 248, height: 130, labels: 8 })}${legend}</section>
    <section class="card stack"><h2 class="sub">Done in the session</h2>${notes.files.length || notes.tests.length ? html`<ul class="small stack">${notes.files.map((each) => html`<li>edited <code>${t(first(each))}</code></li>`)}${notes.tests.map((each) => html`<li>ran <code>${t(first(each))}</code></li>`)}</ul>` : html`<p class="small soft">nothing was noted</p>`}</section>
    ${session.summary ? html`<section class="card stack"><h2 class="sub">Summary</h2><p class="small wrap">${t(session.summary)}</p></section>` : nothing}
    <section class="card stack"><h2 class="sub">Take back</h2><p class="small soft">Undo everything this session wrote. What it was handed out stays noted.</p><div><button class="button bad" @click=${() => takeBack(session, app)}>Undo the session…</button></div></section></aside></div>`;
}

const first = (entry) => Array.isArray(entry) ? entry.join(' ') : typeof entry === 'object' ? Object.values(entry).join(' ') : entry;

const turnView = (turn, called, date) => html`<li class="turn"><div>${date ? html`<span class="tiny soft">${date}</span>` : nothing}<span class="small soft">${clock(turn.at)}</span> <b>${t(called)}</b></div><div>${turn.prompt ? turn.event === 'prompt' ? html`<blockquote class="wrap">${t(turn.prompt)}</blockquote>` : html`<p class="mono wrap">${t(turn.prompt)}</p>` : nothing}${
  turn.handed_out.length ? html`<p class="small soft">${plural(turn.tokens, 'token')}${turn.budget ? ` of ${many(turn.budget)}` : ''}; ${plural(turn.handed_out.length, 'memory', 'memories')}</p><div class="scroll"><table><thead><tr><th>id</th><th>text</th><th class="num">score</th><th class="num wide">tokens</th><th>then</th></tr></thead><tbody>${turn.handed_out.map((each) => html`
  <tr class=${each.used ? 'on' : ''}><td><a href=${link(`memory/${each.memory.id}`)}>#${each.memory.id}</a></td><td class="clip" title=${plain(each.memory.label)}>${t(short(each.memory.label, 120))}</td><td class="num">${each.score == null ? t(each.memory.kind) : each.score.toFixed(2)}</td><td class="num wide">${each.tokens}</td><td>${each.used ? html`<span class="tag good">${t(each.used)}</span>` : '–'}</td></tr>`)}</tbody></table></div>` : nothing}${
  turn.silence ? html`<p class="soft">Nothing handed out: ${t(turn.silence)}.</p>` : nothing}${
  turn.left_out.length ? html`<details class="small"><summary class="soft">${plural(turn.left_out.length, 'memory', 'memories')} left out</summary><ul>${turn.left_out.map((each) => html`<li><a href=${link(`memory/${each.id}`)}>#${each.id}</a> ${t(short(each.label, 90))} <span class="soft">${t(each.why)}</span></li>`)}</ul></details>` : nothing}${
  turn.outcome ? html`<p class="small">Then: ${t(turn.outcome)}</p>` : nothing}</div></li>`;

const keptView = ({ at, memory }, app, date) => html`<li class="turn"><div>${date ? html`<span class="tiny soft">${date}</span>` : nothing}<span class="small soft">${clock(at)}</span> <b>Kept</b></div><div><p class="wrap"><a href=${link(`memory/${memory.id}`)}>#${memory.id}</a> ${t(memory.title || memory.content)} <span class="soft">${t(memory.kind)}</span></p><div class="row">${
  memory.trust === 'unverified' && !memory.deleted_at ? html`<button class="button" @click=${() => app.act(`#${memory.id} is accepted`, `/api/memories/${memory.id}/accept`)}>Accept</button>` : nothing}${
  memory.deleted_at ? html`<span class="tag bad">forgotten</span>` : html`<button class="button bad" @click=${() => app.act(`#${memory.id} is forgotten`, `/api/memories/${memory.id}/forget`)}>Forget</button>`}</div></div></li>`;

/** First says how much it is; the second press does it, and the toast takes it back. */
async function takeBack(session, app) {
  const path = `/api/sessions/${encodeURIComponent(session.id)}/undo`;
  const { count, memories } = await app.post(path, { preview: true });
  if (!count) return app.toast('This session wrote nothing that could be taken back');
  if (confirm(`Take back ${plural(count, 'change')} of ${plural(memories, 'memory', 'memories')}?`)) await app.act(`${plural(count, 'change')} taken back`, path);
  return undefined;
}
