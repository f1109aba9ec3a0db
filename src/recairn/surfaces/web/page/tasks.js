// Tasks: what is open, what waits, how it came out.
import { html, nothing, t, plural, when, short, empty } from './parts.js';
import { link } from './app.js';

export const load = (route, app) => route.name === 'task' ? app.get(`/api/tasks/${encodeURIComponent(route.id)}`) : app.get('/api/tasks', { all: route.params.all, ready: route.params.ready });
export const title = (data, route) => route.name === 'task' ? data.title : 'Tasks';
export const view = (data, route, app) => route.name === 'task' ? one(data, app) : all(data, route, app);

const tag = (task) => html`<span class="tag ${{ active: 'good', blocked: 'warn', done: task.outcome === 'failure' ? 'bad' : '' }[task.status] ?? ''}">${task.status}${task.outcome ? `, ${task.outcome}` : ''}</span>`;

const all = ({ tasks }, { params }, app) => html`<h1>Tasks</h1><div class="row chips" role="group" aria-label="Filters"><button class="chip" aria-pressed=${String(!!params.ready)} @click=${() => app.set({ ready: params.ready ? '' : '1', all: '' })}>Ready</button><button class="chip" aria-pressed=${String(!!params.all)} @click=${() => app.set({ all: params.all ? '' : '1', ready: '' })}>With finished</button></div>
  ${tasks.length ? html`<ol class="list">${tasks.map((each) => html`<li><a class="item" href=${link(`task/${encodeURIComponent(each.id)}`)}><span class="headline"><b class="wrap">${t(each.title)}</b>${tag(each)}</span>${each.description ? html`<span class="small">${t(short(each.description, 200))}</span>` : nothing}<span class="meta"><span class="mono">${t(each.id)}</span>${each.category ? html`<span>${t(each.category)}</span>` : nothing}<span>${when(each.updated_at)}</span>${each.waits_for.length ? html`<span>waits for ${t(each.waits_for.join(', '))}</span>` : nothing}</span></a></li>`)}</ol>`
  : empty('No task is open', 'Tasks tie what is handed out to how the work came out.', 'recairn task add "Draw the chart"')}`;

function one(task, app) {
  const act = (name, words, body) => () => app.act(words, `/api/tasks/${encodeURIComponent(task.id)}/${name}`, body);
  const button = (words, run, kind = '') => html`<button class="button ${kind}" @click=${run}>${words}</button>`;
  return html`<p class="small"><a href=${link('tasks')}>Tasks</a> / <span class="mono">${t(task.id)}</span></p><div class="title"><h1 class="wrap">${t(task.title)}</h1>${tag(task)}</div>
    <div class="cols"><div class="stack">${task.description ? html`<p class="card wrap">${t(task.description)}</p>` : nothing}<div class="row">${task.status === 'done' ? button('Open again', act('open', 'The task is open again')) : [task.status === 'active' ? nothing : button('Start', act('start', 'The task is begun'), 'main'), button('Done: success', act('done', 'The task is done', { outcome: 'success' })), button('Done in part', act('done', 'The task is done in part', { outcome: 'partial' })), button('Failed', act('done', 'The task has failed', { outcome: 'failure' }), 'bad'), task.status === 'blocked' ? nothing : button('Block', act('block', 'The task is blocked'))]}</div>
    <section class="stack"><h2>Handed out for it</h2>${task.contexts.length ? html`<ol class="list">${[...task.contexts].reverse().map((context, at) => html`<li class="item"><details ?open=${!at}><summary class="small soft">${when(context.at)} by ${t(context.surface)}: ${plural(context.memories.length, 'memory', 'memories')}, ${plural(context.tokens, 'token')}</summary><ul class="small stack tight">${context.memories.map((each) => html`<li><a href=${link(`memory/${each.id}`)}>#${each.id}</a> ${t(short(each.title || each.content, 110))} ${each.used ? html`<span class="tag good">${t(each.used)}</span>` : nothing}</li>`)}</ul></details></li>`)}</ol>` : html`<p class="soft small">nothing so far</p>`}</section></div>
    <aside class="card stack"><h2 class="sub">Its life</h2><dl class="facts">${task.events.map((event) => html`<dt>${when(event.at)}</dt><dd>${t(event.event)}${event.reason ? html` <span class="soft">${t(event.reason)}</span>` : nothing}</dd>`)}</dl>${task.depends_on.length ? html`<p class="small">depends on ${task.depends_on.map((id) => html`<a href=${link(`task/${encodeURIComponent(id)}`)}>${t(id)}</a> `)}</p>` : nothing}${task.dependents.length ? html`<p class="small">wait for it: ${task.dependents.map((id) => html`<a href=${link(`task/${encodeURIComponent(id)}`)}>${t(id)}</a> `)}</p>` : nothing}</aside></div>`;
}
