// Where a search finds nothing, or not what was wanted: the nearest, the next step, and a note of the miss.
import { html, nothing, plural, empty } from './parts.js';

// The question whose miss is being noted.
let asked = null;

export function begin(app) {
  asked = app.route.params.q;
  app.draw();
  document.querySelector('#wanted')?.focus();
}

/** Asks what should have been found; false while nobody wants to say so. */
export function form(app) {
  const { q } = app.route.params;
  if (asked !== q) return false;
  const end = () => { asked = null; app.draw(); };
  const note = (event) => {
    event.preventDefault();
    const said = event.target.wanted.value.trim(), number = /^#?(\d+)$/.exec(said)?.[1];
    asked = null;
    app.act('Noted: this search missed something', '/api/misses', { query: q, ...(number ? { wanted: Number(number) } : said ? { note: said } : {}) });
  };
  return html`<form class="card stack" @submit=${note}><label class="stack">What should it have found? Its number, or a few words; may stay empty.<input id="wanted" class="field" name="wanted" autocomplete="off"></label>
    <div class="row"><button class="button main">Note it</button><button type="button" class="button" @click=${end}>Cancel</button></div></form>`;
}

export function none(data, params, app, entry) {
  const narrow = params.as_of || params.kind || params.trust;
  if (!data.found) {
    return narrow ? empty('Nothing fits', 'No memory fits these filters.', '')
      : empty(app.overview.absent ? 'There is no database yet' : 'Nothing is remembered here yet', 'Agents keep memories by themselves once they are connected; you can begin with one of your own.', 'recairn add "Deploys go through the release branch"', html`<code class="command">recairn install claude codex</code>`);
  }
  const { searched, candidates } = data.found.meta, near = data.nearest?.hits ?? [];
  return html`<div class="card empty"><h2>Nothing relevant</h2><p class="soft">Looked at ${plural(searched ?? candidates, 'memory', 'memories')}; none is about this.${near.length ? ' The nearest, which are no answer:' : ''}</p></div>
    ${near.length ? html`<ol class="list rows">${near.map(entry)}</ol>` : nothing}
    ${form(app) || html`<div class="row"><button class="button" @click=${() => begin(app)}>I missed…</button>${
      narrow ? html`<button class="button" @click=${() => app.set({ as_of: '', kind: '', trust: '' })}>Without filters</button>` : nothing}
      <span class="small soft">To keep what was missing: <code>recairn add "…"</code></span></div>`}`;
}
