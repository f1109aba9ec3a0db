// Rules: what is always said, and at what cost.
import { html, nothing, t, plural, many, when, short, empty } from './parts.js';
import { link } from './app.js';

export const load = (route, app) => app.get('/api/rules', { agent: route.params.agent });

export function view({ project, characters, tokens, rules, left_out: left }, route, app) {
  const out = rules.filter((each) => !each.fits).length, cost = (all) => all.reduce((sum, each) => sum + each.tokens, 0);
  const scoped = cost(rules.filter((each) => each.fits && each.memory.scope));
  return html`<div class="title"><h1>Rules</h1><span class="small soft">always said in ${t(project || 'every project')}</span></div>
    <div class="row chips" role="group" aria-label="Agent">${['', 'claude', 'codex', 'cursor', 'gemini'].map((agent) => html`<button class="chip" aria-pressed=${String((route.params.agent ?? '') === agent)} @click=${() => app.set({ agent })}>${agent || 'Any agent'}</button>`)}</div>
    ${rules.length ? html`<div class="card tiles"><div><b>${many(tokens - scoped)}</b><span>tokens at every start${scoped ? `, ${many(scoped)} more where a scope fits` : ''}</span></div><div><b>${many(characters)}</b><span>characters there is room for</span></div><div><b>${rules.length - out}</b><span>rules are said</span></div><div><b>${out}</b><span>do not fit</span></div></div>
    <ol class="list">${rules.map((each) => html`<li><a class="item" href=${link(`memory/${each.memory.id}`)}><span class="wrap">${t(short(each.memory.title ? `${each.memory.title}: ${each.memory.content}` : each.memory.content, 300))}</span>
      <span class="meta"><span class="mono">#${each.memory.id}</span><span>${plural(each.tokens, 'token')}</span>${each.memory.scope ? html`<span>for ${t(each.memory.scope)}</span>` : nothing}<span>${each.times ? html`handed out ${plural(each.times, 'time')}, last ${when(each.last_at)}` : 'never handed out'}</span>${each.fits ? nothing : html`<span class="tag warn">${t(each.why || 'does not fit')}</span>`}</span></a></li>`)}</ol>${left ? html`<p class="small soft">${plural(left, 'rule')} more: recairn rules</p>` : nothing}`
    : empty('No rule yet', 'A rule is said at the start of every session here.', 'recairn add "Ask before adding a dependency" -k rule')}`;
}
