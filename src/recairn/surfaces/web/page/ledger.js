// Ledger: is it worth its tokens?
import { html, nothing, t, plain, plural, many, when, short, percent, utcDay, empty } from './parts.js';
import { plot, legend } from './plots.js';
import { link } from './app.js';

const BY = [['day', 'By day'], ['agent', 'By agent'], ['session', 'By session'], ['memory', 'By memory'], ['unused', 'Never used']];

export async function load({ params }, app) {
  const by = params.by ?? 'day', since = params.since ?? '30d';
  const days = await app.get('/api/ledger', { by: 'day', since });
  const table = by === 'day' ? days : await app.get('/api/ledger', by === 'unused' ? { by: 'memory', unused: params.times ?? 20, since } : { by, since });
  return { days, table, by, since };
}

const used = (row) => row.cited + row.expanded + row.helpful;

/** A row for every day from the first to the last: one without hand-outs is a gap, not a step. */
function every(data) {
  const known = new Map(data.map((row) => [row.day, row])), names = [...known.keys()].sort(), rows = [];
  for (let at = new Date(names[0]); names.length && at <= new Date(names.at(-1)); at = new Date(Number(at) + 86400000)) {
    const day = at.toISOString().slice(0, 10);
    rows.push(known.get(day) ?? { day, memories: 0, cited: 0, expanded: 0, helpful: 0 });
  }
  return rows;
}

export function view({ days, table, by, since }, route, app) {
  const { totals } = days, rows = every(days.data);
  const share = totals.contexts ? (totals.cited + totals.expanded + totals.helpful) : 0;
  const handed = rows.reduce((all, row) => all + row.memories, 0);
  const name = table.grouped_by;
  const first = (row) => name === 'memory' ? row.memory == null ? 'around the memories' : html`<a href=${link(`memory/${row.memory}`)}>#${row.memory}</a> ${t(short(row.label, 110))}` : name === 'session' ? row.session ? html`<a href=${link(`session/${encodeURIComponent(row.session)}`)}>${t(short(row.session, 32))}</a>` : 'no session' : t(row[name] || 'unknown');
  return html`<div class="title"><h1>Ledger</h1><label class="small soft row">of the last <select aria-label="Since" @change=${(event) => app.set({ since: event.target.value })}>${[['7d', '7 days'], ['30d', '30 days'], ['90d', '90 days'], ['365d', 'year']].map(([value, words]) => html`<option value=${value} ?selected=${value === since}>${words}</option>`)}</select></label></div>
    ${totals.contexts ? html`<div class="card tiles"><div><b>${many(totals.tokens)}</b><span>tokens handed out</span></div><div><b>${many(totals.contexts)}</b><span>times</span></div><div><b>${many(share)}</b><span>memories seen used${handed ? `, ${percent(share / handed)} of those handed out` : ''}</span></div><div><b>${many(totals.helpful)}</b><span>said to have helped</span></div></div>
    <section class="card stack"><h2 class="small soft">Memories by day</h2>${plot(rows.map((row) => ({ label: utcDay(row.day).slice(0, -5), given: row.memories, used: used(row) })), { unit: 'memories', width: Math.max(300, Math.min(1000, innerWidth - 280)), height: 170, labels: Math.max(3, Math.floor(Math.min(1000, innerWidth - 280) / 80)) })}${legend}</section>`
    : empty('Nothing was handed out yet', 'What agents are given with their prompts is booked here, and what became of it.', 'recairn install claude')}
    <div class="row chips" role="group" aria-label="Grouped">${BY.map(([value, words]) => html`<button class="chip" aria-pressed=${String(by === value)} @click=${() => app.set({ by: value })}>${words}</button>`)}</div>
    ${by === 'unused' ? html`<p class="small soft">Handed out at least ${route.params.times ?? 20} times and never seen used: worth a second look, or to be forgotten.</p>` : nothing}
    ${table.data.length ? html`<div class="card scroll"><table class="rows"><thead><tr><th>${name}</th><th class="num">times</th>${name === 'memory' ? nothing : html`<th class="num wide">memories</th>`}<th class="num">tokens</th><th class="num">seen used</th><th class="num wide">last</th></tr></thead><tbody>${table.data.map((row) => html`<tr><td>${first(row)}</td><td class="num">${many(row.times)}</td>${name === 'memory' ? nothing : html`<td class="num wide">${many(row.memories)}</td>`}<td class="num">${many(row.tokens)}</td><td class="num">${many(used(row))}</td><td class="num wide">${when(row.last_at)}</td></tr>`)}</tbody></table></div>${table.left_out ? html`<p class="small soft">${plural(table.left_out, 'row')} more: recairn ledger</p>` : nothing}` : totals.contexts ? html`<p class="soft">Nothing in this group.</p>` : nothing}`;
}
