// What keys do, the list of them, and the switch for all.
import { render } from './lit-html-3.3.3/lit-html.js';
import { html } from './parts.js';
import { app, PLACES } from './app.js';

const KEYS = [['/', 'search'], ['j k', 'next, previous'], ['Enter', 'open'], ['Esc', 'back'], ['e', 'edit'], ['s', 'replace'], ['+ −', 'helped, did not help'], ['Del', 'forget'],
  ['a x', 'accept, drop (review)'], ['u', 'undo the last act'], ['[ ]', 'a day back, forth'], ['g and a letter', 'go to a place'], ['?', 'this list']];

const list = () => html`<dialog id="keys" aria-labelledby="keys-title"><div class="stack"><h2 id="keys-title">Keys</h2><div class="keys">${KEYS.map(([key, what]) => html`<kbd>${key}</kbd><span>${what}</span>`)}${
  PLACES.filter(Boolean).map(([, name, letter]) => html`<kbd>g ${letter}</kbd><span>${name}</span>`)}</div>
  <label class="row"><input type="checkbox" .checked=${keysOn()} @change=${(event) => localStorage.setItem('recairn.keys', event.target.checked ? 'on' : 'off')}> Keys are on</label>
  <form method="dialog"><button class="button main">Close</button></form></div></dialog>`;

let place = null;

export function show() {
  place ??= document.body.appendChild(document.createElement('div'));
  render(list(), place);
  place.querySelector('dialog').showModal();
}

const keysOn = () => localStorage.getItem('recairn.keys') !== 'off';
let waiting = false;

export function pressed(event) {
  const inField = event.target.closest?.('input:not([type=range]):not([type=checkbox]), textarea, select, dialog');
  if (event.key === 'Escape' && inField && !event.target.closest('dialog')) return event.target.blur();
  if (inField || event.ctrlKey || event.metaKey || event.altKey || !keysOn()) return undefined;
  if (event.key === 'Enter' && event.target.closest?.('a, button')) return undefined;
  const found = waiting ? goKey(event.key) : own(event.key) ?? common(event.key);
  waiting = !waiting && event.key === 'g';
  if (found) { event.preventDefault(); found(); }
  return undefined;
}

const goKey = (key) => { const found = PLACES.find((each) => each?.[2] === key); return found && (() => app.go(found[0])); };
const own = (key) => app.place?.keys?.(app.data, app.route, app)?.[key];

function common(key) {
  return {
    '/': () => { const field = document.querySelector('#question'); if (field) field.select(); else app.go('search'); },
    '?': show,
    Escape: () => app.came && history.back(),  // else it would leave the page
    u: () => app.undo(),
    j: () => step(1), k: () => step(-1),
  }[key];
}

function step(by) {
  const all = [...document.querySelectorAll('main a.item, main .rows a')];
  const at = all.indexOf(document.activeElement);
  all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
}
