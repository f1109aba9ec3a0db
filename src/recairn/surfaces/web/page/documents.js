// Documents that are searched, and one of them in its pieces.
import { html, nothing, t, plural, when, short, place as address, empty } from './parts.js';
import { bytes } from './plots.js';
import { link } from './app.js';

export const load = (route, app) => route.name === 'document' ? app.get(`/api/documents/${encodeURIComponent(route.id)}`, { from: route.params.from }) : app.get('/api/documents', { q: route.params.q });
export const title = (data, route) => route.name === 'document' ? data.title || data.path : 'Documents';
export const view = (data, route, app) => route.name === 'document' ? one(data, route) : all(data, route, app);

const all = ({ documents, total }, { params }, app) => html`<div class="title"><h1>Documents</h1><span class="small soft">${plural(total, 'document')}</span></div>
  ${total || params.q ? html`<form class="row" role="search" @submit=${(event) => { event.preventDefault(); app.set({ q: event.target.q.value.trim() }); }}><input id="question" class="field" type="search" name="q" aria-label="Path or title" placeholder="Path or title" .value=${params.q ?? ''}></form>` : nothing}
  ${documents.length ? html`<ol class="list">${documents.map((each) => html`<li><a class="item" href=${link(`document/${each.uid}`)}><b class="wrap">${t(each.title || each.path)}</b><span class="meta"><span class="mono">${t(short(each.path, 90))}</span><span>${t(each.format)}</span><span>${bytes(each.size)}</span><span>${plural(each.chunks, 'piece')}</span><span>${when(each.updated_at)}</span>${each.missing_since ? html`<span class="tag warn">file is gone</span>` : nothing}</span></a></li>`)}</ol>`
  : params.q ? empty('Nothing fits', 'No path or title holds this.', '') : empty('No documents', 'Files and pages can be searched beside memories.', 'recairn doc add docs')}`;

const one = (document, { params }) => html`<p class="small"><a href=${link('documents')}>Documents</a> / <span class="mono">${t(short(document.path, 80))}</span></p><div class="title"><h1 class="wrap">${t(document.title || document.path)}</h1><span class="small soft">${plural(document.chunks, 'piece')}, ${bytes(document.size)}</span></div>
  ${document.url ? html`<p class="small">${address(document.url)}</p>` : nothing}<ol class="list">${document.pieces.map((piece) => html`<li class="item"><h2 class="small">${t(piece.heading || piece.title)}</h2><p class="wrap">${t(piece.content)}</p><p class="meta"><a class="mono" href=${link(`memory/${piece.id}`)}>#${piece.id}</a>${piece.line ? html`<span>line ${piece.line}</span>` : nothing}${piece.page ? html`<span>page ${piece.page}</span>` : nothing}</p></li>`)}</ol>
  ${document.from + document.pieces.length <= document.chunks ? html`<p><a class="button" href=${link(`document/${document.uid}`, { from: document.from + document.pieces.length })}>More</a></p>` : nothing}`;
