// Projects: where memories belong, renaming and joining.
import { html, nothing, t, plain, plural, many, when, short, empty } from './parts.js';
import { link } from './app.js';

let open = null;

export const load = (route, app) => app.get('/api/projects');

export function view({ current, projects, changes }, route, app) {
  const kept = projects.filter((each) => each.memories || each.tasks || each.documents || each.name === current);
  return html`<h1>Projects</h1>${kept.length ? html`<ol class="list">${kept.map((each) => html`<li class="item stack"><div class="row spread"><span><a class="name" href=${link('memories', { project: each.name })}><b>${t(each.name || 'no project')}</b></a> ${each.name === current ? html`<span class="tag good">here</span>` : nothing}</span>${each.name && !app.overview.read_only && open !== each.name ? html`<button class="button" @click=${() => { open = each.name; app.draw(); }}>Rename or merge…</button>` : nothing}</div>
    <div class="meta"><span>${told(each)}</span>${[...each.checkouts, ...each.folders].slice(0, 3).map((path) => html`<span class="mono">${t(path)}</span>`)}${each.parent ? html`<span>part of ${t(each.parent)}</span>` : nothing}${each.aliases.length ? html`<span>also ${t(each.aliases.join(', '))}</span>` : nothing}${each.last_used_at ? html`<span>last used ${when(each.last_used_at)}</span>` : nothing}</div>
    ${each.name && !app.overview.read_only ? open === each.name ? change(each, kept, app) : nothing : nothing}</li>`)}</ol><p class="small soft">Replaced memories are counted, too.</p>` : empty('No project yet', 'A project appears with the first memory of a checkout or folder.', 'recairn add "…"')}
    ${changes.length ? html`<section class="card stack"><h2>What was done</h2><table><tbody>${changes.map((each) => html`<tr><td>${t(each.project)} ${t(each.event)} ${each.to ? html`→ ${t(each.to)}` : nothing}</td><td class="num">${when(each.at)}</td><td class="num">${each.undone_at ? 'taken back' : html`<button class="link" @click=${() => app.act('Taken back', '/api/undo', { change: each.change })}>undo</button>`}</td></tr>`)}</tbody></table></section>` : nothing}`;
}

/** What is kept there; of what there is nothing, nothing is said. */
const told = (project) => [['memories', 'memory', 'memories'], ['sessions', 'session'], ['tasks', 'task'], ['documents', 'document']].filter(([name]) => project[name]).map(([name, ...words]) => plural(project[name], ...words)).join(', ') || 'nothing kept yet';

function change(project, all, app) {
  const done = () => { open = null; };
  const rename = (event) => { event.preventDefault(); done(); app.act(`${project.name} is now ${event.target.name_.value}`, '/api/projects/rename', { name: project.name, new: event.target.name_.value }); };
  const merge = (event) => { event.preventDefault(); const into = event.target.into.value; done(); app.act(`${project.name} went into ${into}`, '/api/projects/merge', { source: project.name, into }); };
  const others = all.filter((each) => each.name && each.name !== project.name);
  return html`<div class="row"><form class="row" @submit=${rename}><label class="row small soft">New name <input class="field" name="name_" required .value=${project.name}></label><button class="button">Rename</button></form>
    ${others.length ? html`<form class="row" @submit=${merge}><label class="row small soft">Into <select name="into">${others.map((each) => html`<option value=${each.name}>${plain(each.name)}</option>`)}</select></label><button class="button">Merge</button></form>` : nothing}<button class="button" @click=${() => { done(); app.draw(); }}>Cancel</button></div>`;
}
