// Graph: what hangs together around one memory, as a picture and as a list.
import { html, svg, nothing, t, plain, plural, short, empty } from './parts.js';
import { link } from './app.js';

const [WIDTH, HEIGHT] = innerWidth < 720 ? [400, 440] : [900, 520];
let shape = null;

export async function load(route, app) {
  if (!route.id) {
    const { q } = route.params;
    const [named, found] = await Promise.all([app.get('/api/memories', { limit: 12, kind: 'entity' }), q ? app.get('/api/search', { q }) : app.get('/api/memories', { limit: 12 })]);
    return { named: named.memories, memories: q ? found.hits : found.memories };
  }
  const found = await app.get(`/api/graph/${encodeURIComponent(route.id)}`, { hops: route.params.hops, relation: route.params.relation });
  const key = JSON.stringify([found.nodes.map((node) => node.id), found.edges.length]);
  if (shape?.key !== key) shape = { key, places: await settled(found) };
  return { ...found, places: shape.places };
}

export const title = (data, route) => route.id ? `Around #${route.id}` : 'Graph';

/** Where each node comes to rest. The libraries are loaded here alone. */
async function settled({ nodes, edges, center }) {
  for (const file of ['d3-dispatch-3.0.1/d3-dispatch', 'd3-quadtree-3.0.1/d3-quadtree', 'd3-timer-3.0.1/d3-timer', 'd3-force-3.0.0/d3-force']) await import(`./${file}.min.js`);
  const { forceSimulation, forceLink, forceManyBody, forceCollide, forceX, forceY } = globalThis.d3;
  const points = nodes.map(({ id }) => id === center ? { id, fx: WIDTH / 2, fy: HEIGHT / 2 } : { id });
  const apart = nodes.length > 60 ? 26 : 60;
  forceSimulation(points).force('link', forceLink(edges.map(({ source, target }) => ({ source, target }))).id((point) => point.id).distance(apart * 1.6))
    .force('away', forceManyBody().strength(-apart * 4)).force('apart', forceCollide(apart * .55)).force('x', forceX(WIDTH / 2).strength(.05)).force('y', forceY(HEIGHT / 2).strength(.09)).stop().tick(240);
  return fitted(points);
}

/** The same places, as large as the picture allows, with room for the words. */
function fitted(points) {
  const xs = points.map(({ x }) => x), ys = points.map(({ y }) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const wide = (WIDTH - (WIDTH < 500 ? 110 : 170)) / (right - left || 1), high = (HEIGHT - 80) / (bottom - top || 1), most = Math.min(2.4, 1.6 * Math.min(wide, high));
  const [across, down] = [Math.min(wide, most), Math.min(high, most)];
  return new Map(points.map(({ id, x, y }) => [id, [WIDTH / 2 + (x - (left + right) / 2) * across, HEIGHT / 2 - 8 + (y - (top + bottom) / 2) * down]]));
}

export function view(data, route, app) {
  if (!route.id) {
    const { q } = route.params, ask = (event) => { event.preventDefault(); app.set({ q: event.target.q.value.trim() }); };
    const choice = (each) => html`<li><a class="item wrap" href=${link(`graph/${each.id}`)}>${t(short(each.title || each.content, 160))} <span class="mono soft">#${each.id}</span></a></li>`;
    return html`<div class="title"><h1>Graph</h1><span class="small soft">choose a memory to see what hangs together with it</span></div>${data.memories.length || q ? html`
      <form class="row ask" role="search" @submit=${ask}><input id="question" class="field" type="search" name="q" .value=${q ?? ''} placeholder="What hangs together with …" aria-label="Question" autocomplete="off"><button class="button main">Search</button></form>
      ${data.named.length && !q ? html`<section class="stack"><h2 class="sub">What has a name</h2><ul class="row">${data.named.map((each) => html`<li><a class="chip" href=${link(`graph/${each.id}`)}>${t(short(each.title || each.content, 40))}</a></li>`)}</ul></section>` : nothing}
      <section class="stack"><h2 class="sub">${q ? 'Found' : 'The newest'}</h2>${data.memories.length ? html`<ol class="list">${data.memories.map(choice)}</ol>` : html`<p class="soft">Nothing is about this.</p>`}</section>` : empty('Nothing is linked yet', 'Links appear when memories replace, explain or contradict each other.', 'recairn link 1 2 --relation builds_on')}`;
  }
  const { nodes, edges, places, center, left_out: left } = data, hops = route.params.hops ?? '1';
  const relations = [...new Set([...edges.map((edge) => edge.relation), ...(route.params.relation ? [route.params.relation] : [])])];
  const named = new Map(nodes.map((node) => [node.id, node]));
  const lines = edges.map(({ source, target }) => `M${places.get(source)?.join(' ')}L${places.get(target)?.join(' ')}`).join('');
  return html`<div><p class="small"><a href=${link('graph')}>Graph</a> / <a href=${link(`memory/${center}`)}>#${center}</a></p><div class="title"><h1>What hangs together with #${center}</h1><span class="small soft">${plural(nodes.length, 'memory', 'memories')}, ${plural(edges.length, 'link')}${left ? `, ${left} left out` : ''}</span></div></div>
    <div class="row chips" role="group" aria-label="Filters">${['1', '2'].map((value) => html`<button class="chip" aria-pressed=${String(hops === value)} @click=${() => app.set({ hops: value })}>${value === '1' ? '1 hop' : '2 hops'}</button>`)}<select class=${route.params.relation ? 'chip on' : 'chip'} aria-label="Relation" @change=${(event) => app.set({ relation: event.target.value })}><option value="">All relations</option>${relations.map((name) => html`<option value=${name} ?selected=${name === route.params.relation}>${plain(name.replaceAll('_', ' '))}</option>`)}</select></div>
    <svg class="net" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="The picture; the list below says the same"><path d=${lines}></path>${nodes.map((node) => {
      const [x, y] = places.get(node.id) ?? [0, 0];
      return svg`<a href=${link(`graph/${node.id}`, { hops })} class="${node.id === center ? 'center' : node.hops > 1 ? 'far' : ''} ${node.superseded ? 'gone' : ''}"><title>${plain(node.label)}</title><circle cx=${x} cy=${y} r=${node.id === center ? 12 : 8}></circle>${nodes.length <= 60 ? svg`<text x=${x} y=${y + 22} text-anchor="middle">${plain(short(node.label, WIDTH < 500 ? 15 : 22))}</text>` : nothing}</a>`;
    })}</svg>
    ${edges.length ? html`<section class="card stack"><h2>The same as a list</h2><ul class="stack small">${edges.map((edge) => html`<li><a href=${link(`memory/${edge.source}`)}>#${edge.source}</a> ${t(short(named.get(edge.source)?.label, 60))} <b>${t(edge.relation.replaceAll('_', ' '))}</b> <a href=${link(`memory/${edge.target}`)}>#${edge.target}</a> ${t(short(named.get(edge.target)?.label, 60))}</li>`)}</ul></section>` : html`<p class="soft">Nothing is linked with it. <code class="command">recairn link ${center} …</code></p>`}`;
}
