// Try: what would an agent get for this prompt?
import { html, nothing, t, plural, many, percent, short } from './parts.js';
import { link } from './app.js';

export const load = async ({ params }, app) => params.prompt ? app.post('/api/try', { prompt: params.prompt, ...(Number(params.tokens) ? { max_tokens: Number(params.tokens) } : {}), files: (params.files ?? '').split(/\s+/).filter(Boolean) }) : {};

export function view(data, { params }, app) {
  const ask = (event) => { event.preventDefault(); const { prompt, tokens, files } = event.target; app.set({ prompt: prompt.value.trim(), tokens: tokens.value, files: files.value.trim() }); };
  return html`<div class="title"><h1>Try</h1><span class="small soft">what an agent would get; nothing is noted</span></div>
    <form class="card stack" @submit=${ask}><label class="stack">Prompt<textarea class="field" id="question" name="prompt" required .value=${params.prompt ?? ''}></textarea></label>
      <div class="row ends"><label class="stack">Tokens<input class="field" name="tokens" type="number" min="0" max="100000" placeholder="as set" .value=${params.tokens ?? ''}></label><label class="stack">Files at work<input class="field" name="files" placeholder="src/pay.py" .value=${params.files ?? ''}></label><button class="button main">Try</button></div></form>
    ${data.text == null ? nothing : result(data)}`;
}

function result(data) {
  const rows = [...data.rules.map((each) => ({ ...each, how: 'rule' })), ...data.hits.map((each) => ({ ...each, how: percent(each.chance ?? each.score) })), ...data.recent.map((each) => ({ ...each, how: 'new' })), ...data.suggestions.map((each) => ({ ...each, how: 'suggested' })), ...(data.handoff ? [{ ...data.handoff, how: 'handoff' }] : [])];
  return html`<div class="card tiles"><div><b>${many(data.tokens)}</b><span>of ${many(data.budget)} tokens</span></div><div><b>${rows.length}</b><span>memories</span></div><div><b>${data.left_out.length}</b><span>found, but left out</span></div></div>
    ${data.text ? html`<div class="cols"><section class="stack"><h2>The block</h2><pre class="card wrap">${t(data.text)}</pre></section>
    <aside class="stack"><section class="card stack"><h2 class="sub">Handed out</h2><table><tbody>${rows.map((each) => html`<tr><td><a href=${link(`memory/${each.id}`)}>#${each.id}</a></td><td>${t(short(each.label, 80))}</td><td class="num">${each.how}</td></tr>`)}</tbody></table></section>${left(data)}</aside></div>`
    : html`<p class="card">Nothing would be handed out: no memory is about this prompt.</p>${left(data)}`}
    ${data.notices.map((text) => html`<p class="small soft">${t(text)}</p>`)}`;
}

const left = (data) => data.left_out.length ? html`<section class="card stack"><h2 class="sub">Left out</h2><ul class="stack small">${data.left_out.map((each) => html`<li><a href=${link(`memory/${each.id}`)}>#${each.id}</a> ${t(short(each.label, 80))} <span class="soft">${t(each.why)}</span></li>`)}</ul></section>` : nothing;
