// Plots (bars in SVG, each with a table beside it that says the same), and numbers in words.
import { html, svg, nothing, plain, plural, many } from './parts.js';

/** Bars by day or turn: handed out behind, seen used in front. The table beside it says the same. */
export function plot(rows, { width = 640, height = 120, unit = 'tokens', labels = 6 } = {}) {
  const top = Math.max(1, ...rows.map((row) => row.given)), step = width / Math.max(rows.length, width / 80), bar = Math.min(34, step * .72);
  const y = (value) => (height - 34) * value / top;
  const every = Math.ceil(rows.length / labels);
  const told = rows.length ? `${plural(rows.length, 'bar')}, at most ${many(top)} ${unit}` : 'nothing yet';
  return html`<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${told}"><line class="axis" x1="0" x2=${width} y1=${height - 18} y2=${height - 18}></line>${rows.length > 14 ? svg`<line class="axis top" x1="0" x2=${width} y1=${height - 18 - y(top)} y2=${height - 18 - y(top)}></line><text x="0" y=${height - 22 - y(top)}>${many(top)} ${unit}</text>` : nothing}${rows.map((row, at) => {
    const x = at * step + (step - bar) / 2, base = height - 18;
    return svg`<g><title>${plain(row.label)}: ${many(row.given)} ${unit}, ${many(row.used)} seen used</title><rect class="given" x=${x} y=${base - y(row.given)} width=${bar} height=${y(row.given)}></rect>
      <rect class="used" x=${x} y=${base - y(row.used)} width=${bar} height=${y(row.used)}></rect>${rows.length <= 14 ? svg`<text x=${x + bar / 2} y=${base - y(row.given) - 4} text-anchor="middle">${row.given ? many(row.given) : 'none'}</text>` : nothing}${
      at % every ? nothing : svg`<text x=${at ? x + bar / 2 : 0} y=${height - 4} text-anchor=${at ? 'middle' : 'start'}>${plain(row.label)}</text>`}</g>`;
  })}</svg>`;
}

export const legend = html`<p class="small soft row"><span><span class="dot given"></span>handed out</span><span><span class="dot used"></span>seen used</span></p>`;

export const bytes = (count) => count > 1e6 ? `${(count / 1e6).toFixed(1)} MB` : `${Math.ceil(count / 1e3)} KB`;
