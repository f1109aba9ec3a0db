// All places, for screens without room for them at the side.
import { html, many, nothing } from './parts.js';
import { link } from './app.js';

const PLACES = [['rules', 'Rules'], ['ledger', 'Ledger'], ['try', 'Try'], ['tasks', 'Tasks'], ['memories', 'Memories'], ['documents', 'Documents'], ['graph', 'Graph'], ['projects', 'Projects'], ['health', 'Health']];

export const load = async () => ({});
export const title = () => 'More';
export const view = (data, route, app) => html`<h1>More</h1><ul class="list more">${PLACES.map(([name, words]) => html`<li><a class="item" href=${link(name)}>${words}<span class="soft">${app.overview.counts[name] ? many(app.overview.counts[name]) : nothing}</span></a></li>`)}</ul>`;
