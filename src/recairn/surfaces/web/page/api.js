// Talking to `recairn serve`: the key from the address, the token, questions, and the live stream.
const TOKEN = 'recairn.token';

export class Trouble extends Error {
  constructor(status, answer) {
    const error = answer?.error ?? {};
    super(error.message ?? `The server answered ${status}`);
    this.status = status;
    this.kind = error.kind ?? '';
    this.hint = error.hint ?? '';
    this.conflict = answer?.conflict;
  }
}

export const gone = () => { throw new Trouble(0, { error: { kind: 'Gone', message: 'The server does not answer', hint: 'recairn serve --open' } }); };

/** Exchanges the key of `/#key=…` for a token, and takes it out of the address at once. */
export async function enter() {
  const key = /^#key=(.+)$/.exec(location.hash)?.[1];
  if (!key) return;
  history.replaceState(null, '', '#/search');
  try {
    localStorage.setItem(TOKEN, (await ask('POST', '/api/key', { key })).token);
  } catch (trouble) {
    // A reloaded page may bring a key that was used before; its token still counts.
    if (!localStorage.getItem(TOKEN)) throw trouble;
  }
}

/** An address with those parameters that say something. */
export const query = (path, params = {}) => {
  const all = new URLSearchParams(Object.entries(params).filter(([, value]) => value != null && value !== ''));
  return all.size ? `${path}?${all}` : path;
};
export const get = (path, params) => early(query(path, params)) ?? ask('GET', query(path, params));
export const post = (path, body = {}, params = {}) => ask('POST', query(path, params), body);

const bearer = () => ({ authorization: `Bearer ${localStorage.getItem(TOKEN) ?? ''}` });

async function ask(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body ? { ...bearer(), 'content-type': 'application/json' } : bearer(),
    body: body && JSON.stringify(body),
  }).catch(gone);
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Trouble(response.status, answer);
  return answer;
}

// What the first sight needs, by address: asked for in one question while the other files are still on their way.
const begun = new Map();

function early(path) {
  const answer = begun.get(path);
  begun.delete(path);
  return answer;
}

function begin() {
  const place = new URLSearchParams(location.hash.replace(/^#\/?(search)?\??/, ''));
  const project = place.get('project');
  if (!localStorage.getItem(TOKEN) || place.size > (project ? 1 : 0)) return;
  const whole = ask('GET', query('/api/first', { project }));
  for (const [name, path, params] of [['overview', '/api/overview'], ['histogram', '/api/histogram'], ['memories', '/api/memories', { limit: 10 }]]) {
    const answer = whole.then((found) => found[name]);
    answer.catch(() => {});  // told to whoever asks for it
    begun.set(query(path, { project, ...params }), answer);
  }
}
begin();

/** Calls `changed` whenever somebody wrote or may have written something, `state` when the line breaks or is back. */
export async function listen(changed, state) {
  for (let pause = 1000; ; pause = Math.min(pause * 2, 15000)) {
    try {
      const response = await fetch('/api/changes', { headers: bearer() });
      if (response.status === 401) return;
      if (!response.ok) throw new Trouble(response.status);
      state(true);
      pause = 1000;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece; !(piece = await reader.read()).done;) {
        if (/^event: (changed|ready)/m.test(piece.value)) changed();
      }
    } catch { /* told below, and tried again */ }
    state(false);
    await new Promise((wake) => setTimeout(wake, pause));
  }
}
