// What all places are made of: text that hides nothing, times, tags, small pictures.
import { html, svg, nothing } from './lit-html-3.3.3/lit-html.js';

export { html, svg, nothing };

// Characters that change how text reads without being seen: controls, bidi, zero width, tags.
const ODD = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const name = (char) => `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Text as text nodes; characters that nobody would see are spelled out. */
export function t(value) {
  const text = String(value ?? '').toWellFormed();
  if (text.search(ODD) < 0) return text;
  const pieces = [];
  let last = 0;
  for (const found of text.matchAll(ODD)) {
    pieces.push(text.slice(last, found.index), html`<span class="odd">${name(found[0])}</span>`);
    last = found.index + found[0].length;
  }
  return [...pieces, text.slice(last)];
}

/** The same where only plain text can stand: options, titles, labels. */
export const plain = (value) => String(value ?? '').toWellFormed().replace(ODD, (char) => `[${name(char)}]`);

export const short = (value, length = 140) => {
  const line = String(value ?? '').replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
};

/** An address as a link when it is one of the web, else as text. */
export const place = (value) => /^https?:\/\/[^\s]+$/i.test(value ?? '')
  ? html`<a href=${value} rel="noopener noreferrer" target="_blank">${t(value)}</a>` : t(value);

// Written by hand: the browser's own formats cost more at first use than all the rest of a first sight.
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
/** The day of a time in words, where the reader is. */
export const day = (at) => utcDay(new Date(at) - new Date(at).getTimezoneOffset() * 60000);
export const utcDay = (at) => { const [year, month, date] = new Date(at).toISOString().slice(0, 10).split('-'); return `${Number(date)} ${MONTHS[month - 1]} ${year}`; };
export const clock = (at) => new Date(at).toTimeString().slice(0, 5);
const days = (ms) => ms / 86400000;

export function ago(at) {
  if (!at) return 'never';
  const gone = days(Date.now() - new Date(at));
  if (gone < -1) return `on ${day(at)}`;
  if (gone < 1 / 1440) return 'just now';
  if (gone < 1 / 24) return plural(Math.round(gone * 1440), 'minute') + ' ago';
  if (gone < 1) return plural(Math.round(gone * 24), 'hour') + ' ago';
  if (gone < 2) return 'yesterday';
  if (gone < 14) return `${Math.floor(gone)} days ago`;
  if (gone < 60) return `${Math.floor(gone / 7)} weeks ago`;
  return day(at);
}

export const when = (at) => at ? html`<time datetime=${at} title="${day(at)}, ${clock(at)}">${ago(at)}</time>` : nothing;
export const many = (count) => String(Number(count ?? 0)).replace(/\B(?=(\d{3})+$)/g, ',');
export const plural = (count, one, more = `${one}s`) => `${many(count)} ${count === 1 ? one : more}`;
export const percent = (share) => `${Math.round(100 * Math.min(1, share))} %`;

/** What a reader must know before believing a memory; `since` is what became of it after the day that is looked at. */
export function doubts(memory) {
  const gone = memory.expires_at && new Date(memory.expires_at) <= new Date();
  return [
    memory.superseded_by && html`<span class="tag warn">replaced by #${memory.superseded_by.id ?? memory.superseded_by}${
      memory.superseded_by.created_at ? ` on ${day(memory.superseded_by.created_at)}` : ''}</span>`,
    memory.since?.replaced_by && html`<span class="tag warn">replaced by #${memory.since.replaced_by} on ${day(memory.since.replaced_at)}</span>`,
    memory.since?.forgotten_at && html`<span class="tag bad">forgotten on ${day(memory.since.forgotten_at)}</span>`,
    (memory.anti_pattern ?? memory.fields?.anti_pattern) && html`<span class="tag warn">what not to do</span>`,
    memory.trust === 'unverified' && html`<span class="tag warn">to review</span>`,
    memory.deleted_at && html`<span class="tag bad">forgotten</span>`,
    !memory.deleted_at && gone && html`<span class="tag bad">expired</span>`,
    memory.stale && html`<span class="tag warn" title=${plain(memory.stale)}>may be stale</span>`,
    memory.pinned && html`<span class="tag">pinned</span>`,
  ].map((tag) => tag || nothing);
}

/** The name of an author without its role: `agent:codex` is codex, `hook:claude-code` what that picked up by itself. */
export const nameOf = (author) => author === 'person' ? 'a person' : String(author ?? '').replace(/^(agent|hook):/, '');
const byWhom = (author) => !author || author === 'person' || author === 'document' ? nothing : html`<span>${author.startsWith('hook:') ? 'picked up by' : 'by'} ${t(nameOf(author))}</span>`;

export const meta = (memory, { project } = {}) => html`<div class="meta"><span class="mono">#${memory.id}</span><span>${t(memory.kind)}</span>${
  memory.category ? html`<span>${t(memory.category)}</span>` : nothing}${
  project && memory.project && memory.project !== project ? html`<span>${t(memory.project)}</span>` : nothing}<span>${
  when(memory.created_at)}</span>${byWhom(memory.author)}${doubts(memory)}</div>`;

/** Three bars of a hit, each from where a candidate of no merit stands to the best there can be. */
export function arms(terms) {
  const rows = [['keyword', 'words'], ['semantic', 'meaning'], ['agreement', 'agree']];
  const reach = (term) => term ? Math.max(0, Math.min(1, (term.value - term.neutral) / (.4 * (1 - term.neutral) || 1))) : 0;
  const told = rows.map(([key, kind]) => `${kind === 'agree' ? 'agreement' : kind} ${Math.round(100 * reach(terms[key]))}`).join(', ');
  return html`<svg class="bars" viewBox="0 0 84 19" preserveAspectRatio="none" role="img" aria-label="${told} of 100">${rows.map(([key, kind], at) => svg`
    <rect class="track" y=${at * 7} width="84" height="4"></rect><rect class=${kind} y=${at * 7} width=${84 * reach(terms[key])} height="4"></rect>`)}</svg>`;
}

export const empty = (title, text, command, more = nothing) => html`<div class="card empty"><h2>${title}</h2><p class="soft">${text}</p>${
  command ? html`<code class="command">${t(command)}</code>` : nothing}${more}</div>`;
