// Review: what was picked up, one at a time, by keyboard.
import { html, nothing, t, plural, when, short, meta, nameOf, empty } from './parts.js';
import { link } from './app.js';
import { accept, drop, memoryKeys, loadEditor } from './memory.js';
import { begin, editing, form } from './edit.js';

export async function load(route, app) {
  await loadEditor();
  const found = await app.get('/api/review');
  const at = Math.max(0, found.candidates.findIndex((each) => String(each.id) === route.params.m));
  const one = found.candidates[at];
  const similar = one ? (await app.get(`/api/memories/${one.id}/similar`)).memories : [];
  return { ...found, at, one, similar };
}

export function view({ candidates, total, at, one, similar }, route, app) {
  if (!one) return html`<h1>Review</h1>${empty('Nothing waits for a word', 'What agents and hooks pick up by themselves waits here until you accept or drop it.', 'recairn install claude')}`;
  const button = (words, key, run, kind = '') => html`<button class="button ${kind}" @click=${run}>${words} <kbd>${key}</kbd></button>`;
  return html`<div class="title"><h1>Review</h1><span class="small soft">${at + 1} of ${plural(total, 'candidate')}, the oldest first</span></div>
    <div class="cols"><article class="card stack">${meta(one, { project: app.overview.project })}${editing()?.id === one.id ? form(one, app) : html`
      <h2 class="wrap">${t(one.title || one.content)}</h2>${one.title ? html`<p class="wrap">${t(one.content)}</p>` : nothing}
      ${Object.keys(one.fields).length ? html`<dl class="facts">${Object.entries(one.fields).map(([key, value]) => html`<dt>${t(key.replaceAll('_', ' '))}</dt><dd>${t(Array.isArray(value) ? value.join('; ') : value)}</dd>`)}</dl>` : nothing}
      <div class="row">${button('Accept', 'a', () => accept(one, app), 'main')}${button('Edit and accept', 'e', () => begin(one, 'edit', app, { accept: true }))}${button('Drop', 'x', () => drop(one, app), 'bad')}</div>
      <div class="row small soft">${at ? button('Before', 'k', () => to(-1)(candidates, at, app)) : nothing}${at + 1 < candidates.length ? button('Later', 'j', () => to(1)(candidates, at, app)) : nothing}</div>`}</article>
    <aside class="stack"><section class="card stack"><h2 class="sub">Where it came from</h2>${one.prompt ? html`<blockquote class="small wrap">${t(short(one.prompt, 600))}</blockquote>` : nothing}
      <p class="small soft wrap">picked up ${when(one.created_at)}${one.author ? html` by ${t(nameOf(one.author))}` : nothing}${one.session ? html` in <a href=${link(`session/${encodeURIComponent(one.session)}`)}>a session</a>` : one.source_ref ? html`, ${t(one.source_ref)}` : nothing}</p></section>
    <section class="card stack"><h2 class="sub">Similar</h2>${similar.length ? html`<ul class="stack small">${similar.map((each) => html`<li><a href=${link(`memory/${each.id}`)}>#${each.id}</a> ${t(short(each.title || each.content, 120))}</li>`)}</ul>` : html`<p class="small soft">nothing like it is known</p>`}</section></aside></div>`;
}

const to = (by) => (candidates, at, app) => { const next = candidates[at + by]; if (next) app.set({ m: next.id }); };

export const keys = ({ one, candidates, at }, route, app) => one ? {
  ...memoryKeys(one, app), s: undefined, a: () => accept(one, app), x: () => drop(one, app), e: () => begin(one, 'edit', app, { accept: true }),
  j: () => to(1)(candidates, at, app), k: () => to(-1)(candidates, at, app), Enter: () => app.go(`memory/${one.id}`),
} : {};
