// Health: does it work?
import { html, nothing, t, plural, many, when, empty } from './parts.js';
import { bytes } from './plots.js';
import { link } from './app.js';

export const load = (route, app) => app.get('/api/health', { thorough: route.params.thorough });

const LEVEL = { ok: 'good', problem: 'bad', warning: 'warn' };

export function view(health, route, app) {
  const bad = [...health.findings.filter((each) => each.level === 'problem' || each.level === 'warning'), ...health.troubles];
  const thorough = route.params.thorough;
  return html`<div class="title"><h1>Health</h1><span class="tag ${bad.length ? 'warn' : 'good'}">${bad.length ? plural(bad.length, 'finding') : thorough ? 'all is well' : 'nothing wrong at a glance'}</span></div>
    <div class="card tiles"><div><b>${bytes(health.bytes)}</b><span>${plural(health.memories, 'memory', 'memories')}, replaced ones too</span></div><div><b>${many(health.waiting)}</b><span><a href=${link('review', { project: '*' })}>to review</a> in all projects</span></div><div><b>${t(health.model ?? 'none')}</b><span>model${health.to_embed ? `, ${plural(health.to_embed, 'memory', 'memories')} without a vector` : ''}</span></div><div><b>${many(health.misses)}</b><span>searches that missed</span></div></div>
    <section class="card stack"><h2>Findings</h2>${health.findings.length || health.troubles.length ? html`<ul class="stack small">${health.findings.map((each) => html`<li><span class="tag ${LEVEL[each.level] ?? ''}">${each.level}</span> <span class="wrap">${t(each.what)}</span>${each.remedy ? html` <code class="command">${t(each.remedy)}</code>` : nothing}</li>`)}${
      health.troubles.map((each) => html`<li><span class="tag warn">mirror</span> <span class="wrap">${t(each.what)}</span> <code class="command">${t(each.remedy)}</code></li>`)}</ul>` : nothing}${
      thorough ? nothing : html`<p class="row"><button class="button" @click=${() => app.set({ thorough: '1' })}>Look thoroughly</button><span class="small soft">reads the whole database, as recairn doctor does</span></p>`}</section>
    <section class="card stack"><h2>Last hooks</h2>${health.hooks.length ? html`<div class="scroll"><table><thead><tr><th>agent</th><th>event</th><th class="num">times</th><th class="num">last</th></tr></thead><tbody>${health.hooks.map((each) => html`<tr><td>${t(each.agent)}</td><td>${t(each.event)}</td><td class="num">${many(each.times)}</td><td class="num">${when(each.at)}</td></tr>`)}</tbody></table></div>` : html`<p class="small soft">No hook has run yet. <code class="command">recairn install claude</code></p>`}</section>
    <div class="cols"><section class="card stack"><h2>Agents registered</h2>${health.agents.length ? html`<ul class="small stack">${health.agents.map((each) => html`<li><b>${t(each.agent)}</b> <span class="soft">${t(each.scope)}</span> <span class="tag ${each.state === 'outdated' ? 'warn' : 'good'}">${t(each.plugin ? `plugin ${each.plugin}` : each.state)}</span></li>`)}</ul>` : html`<p class="small soft">None. <code class="command">recairn install claude codex</code></p>`}</section>
    <section class="card stack"><h2>Kept safe</h2><p class="small">${health.backups.length ? plural(health.backups.length, 'backup') : 'No backup yet'}${health.backups.length ? nothing : html` <code class="command">recairn backup create</code>`}</p>${health.mirrors.map((each) => html`<p class="small wrap">mirror ${t(each.folder)} of ${t(each.project)}</p>`)}</section></div>
    <p class="small soft wrap">${t(health.database)}</p>`;
}
