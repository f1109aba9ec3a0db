// Writing: editing, replacing and correcting a memory, what is seldom done, what to do when somebody was faster, and what changed.
import { html, nothing, t, when } from './parts.js';

// What is being written: { id, mode: edit | replace | correct, seen, expect, accept, changes, content, conflict }
// `seen` is the memory as it was at the beginning: what others change meanwhile overwrites nothing here.
let draft = null;

const path = (memory, act) => `/api/memories/${memory.id}/${act}`;

export const editing = () => draft;
export function begin(memory, mode, app, more = {}) {
  draft = { id: memory.id, mode, seen: memory, expect: memory.version, ...more };
  app.draw();
  document.querySelector('#draft')?.focus();
}
export function cancel(app) { draft = null; app.draw(); }

/** What is chosen from the list of further acts. */
export function further(name, memory, app) {
  const act = (words, what, body) => app.act(`#${memory.id} ${words}`, path(memory, what), body);
  if (name.startsWith('to ')) return act(`is moved to ${name.slice(3)}`, 'move', { project: name.slice(3) });
  return {
    correct: () => begin(memory, 'correct', app),
    pin: () => act(memory.pinned ? 'is unpinned' : 'is pinned', 'pin', { pinned: !memory.pinned }),
    expire: () => act('has expired', 'expire'),
    promote: () => act('is seen more widely', 'promote'),
  }[name]?.();
}

async function save(event, memory, app) {
  event.preventDefault();
  const form = event.target, text = form.content.value;
  const mode = draft.mode;
  try {
    let done;
    if (mode === 'edit') {
      const changes = { content: text, title: form.title_.value, category: form.category.value, kind: form.kind.value, importance: Number(form.importance.value) };
      for (const name of Object.keys(changes)) if (changes[name] === (draft.seen[name] ?? '')) delete changes[name];
      if (!Object.keys(changes).length) {
        const { accept } = draft;
        draft = null;
        return accept ? app.act(`#${memory.id} is accepted`, path(memory, 'accept')) : app.draw();
      }
      draft.changes = changes;
      done = await app.act(`#${memory.id} is changed`, path(memory, 'edit'), { changes, expect: draft.expect, ...(draft.accept ? { accept: true } : {}) });
    } else {
      done = await app.act(mode === 'replace' ? `#${memory.id} is replaced` : `#${memory.id} is corrected`, path(memory, mode), mode === 'replace' ? { content: text, expect: draft.expect } : { content: text });
    }
    if (!done) return undefined;
    draft = null;
    if (done.successor && app.route.name === 'memory') app.go(`memory/${done.successor}`);
    else if (done.successor) await app.set({ m: done.successor });
    else app.draw();
  } catch (trouble) {
    draft = { ...draft, content: text, conflict: trouble.conflict };
    app.draw();
  }
  return undefined;
}

export function form(memory, app) {
  if (draft?.id !== memory.id) return nothing;
  const { mode, conflict, seen } = draft;
  const words = { edit: ['Edit', 'Save'], replace: ['Replace by', 'Replace'], correct: ['Correct to', 'Correct'] }[mode];
  const text = draft.content ?? seen.content;
  const theirs = () => { draft = null; app.refresh(); };
  const mine = () => { draft.expect = conflict.version; draft.conflict = null; app.draw(); };
  return html`<form class="stack" @submit=${(event) => save(event, memory, app)}>${conflict ? html`<div class="card note stack" role="alert"><b>Somebody changed it in the meantime.</b>
      <p class="small">Theirs, compared with ${conflict.base ? 'what you saw' : 'your text'}:</p><p class="wrap">${difference(conflict.base?.content ?? text, conflict.theirs.content)}</p>
      <div class="row"><button type="button" class="button" @click=${theirs}>Take theirs</button><button type="button" class="button" @click=${mine}>Keep mine, save again</button></div></div>` : nothing}
    <label class="stack">${words[0]}<textarea id="draft" class="field" name="content" rows="5" required .value=${text}></textarea></label>${mode === 'edit' ? html`
    <label class="stack">Title<input class="field" name="title_" .value=${seen.title}></label><div class="row"><label class="stack">Kind<select class="field" name="kind">${app.overview.kinds.filter((each) => each !== 'chunk').map((kind) => html`<option ?selected=${kind === seen.kind}>${kind}</option>`)}</select></label>
    <label class="stack">Category<input class="field" name="category" .value=${seen.category}></label><label class="stack">Importance<input class="field" type="number" min="0" max="1" step="any" name="importance" .value=${String(seen.importance)}></label></div>` : nothing}
    <div class="row"><button class="button main">${words[1]}</button><button type="button" class="button" @click=${() => cancel(app)}>Cancel <kbd>Esc</kbd></button></div></form>`;
}

/** What the text was before, the newest change first. */
export function versions(memory) {
  const texts = memory.history.filter((event) => event.changes.content && event.event !== 'created').slice(-5).reverse();
  return texts.length ? html`<section class="stack"><h2 class="sub">Versions</h2>${texts.map((event) => html`<div><p class="small soft">${when(event.at)}</p><p class="wrap small">${difference(event.changes.content.before, event.changes.content.after)}</p></div>`)}</section>` : nothing;
}

/** Words of both texts in order: kept, taken away, added. */
function difference(before, after) {
  const a = String(before ?? '').split(/(\s+)/).slice(0, 400), b = String(after ?? '').split(/(\s+)/).slice(0, 400);
  const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length; i--;) for (let j = b.length; j--;) length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const out = [];
  const add = (kind, word) => { const last = out.at(-1); if (last?.kind === kind) last.text += word; else out.push({ kind, text: word }); };
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) { add('same', a[i]); i++; j++; }
    else if (j >= b.length || (i < a.length && length[i + 1][j] >= length[i][j + 1])) add('del', a[i++]);
    else add('ins', b[j++]);
  }
  return out.map(({ kind, text }) => kind === 'del' ? html`<del>${t(text)}</del>` : kind === 'ins' ? html`<ins>${t(text)}</ins>` : t(text));
}
