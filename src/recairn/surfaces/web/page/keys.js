// The list of all keys, and the switch for them.
import { render } from './lit-html-3.3.3/lit-html.js';
import { html } from './parts.js';
import { PLACES, keysOn } from './app.js';

const KEYS = [['/', 'search'], ['j k', 'next, previous'], ['Enter', 'open'], ['Esc', 'back'], ['e', 'edit'], ['s', 'replace'], ['+ −', 'helped, did not help'], ['Del', 'forget'],
  ['a x', 'accept, drop (review)'], ['u', 'undo the last act'], ['[ ]', 'a day back, forth'], ['g and a letter', 'go to a place'], ['?', 'this list']];

const place = document.body.appendChild(document.createElement('div'));

const list = () => html`<dialog id="keys" aria-labelledby="keys-title"><div class="stack"><h2 id="keys-title">Keys</h2><div class="keys">${KEYS.map(([key, what]) => html`<kbd>${key}</kbd><span>${what}</span>`)}${
  PLACES.filter(Boolean).map(([, name, letter]) => html`<kbd>g ${letter}</kbd><span>${name}</span>`)}</div>
  <label class="row"><input type="checkbox" .checked=${keysOn()} @change=${(event) => localStorage.setItem('recairn.keys', event.target.checked ? 'on' : 'off')}> Keys are on</label>
  <form method="dialog"><button class="button main">Close</button></form></div></dialog>`;

export function show() {
  render(list(), place);
  place.querySelector('dialog').showModal();
}
