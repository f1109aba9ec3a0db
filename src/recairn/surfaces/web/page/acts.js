// Acts, the messages about them, and taking them back.
import { app } from './app.js';

// How long a message stays (milliseconds), unless somebody is about to press its button.
const STAYS = 12000;
// What was done here and can still be taken back; the latest last.
const done = [];

/** Does something, says so with a way back, and shows the place anew. */
export async function act(words, path, body, params) {
  try {
    const answer = await app.post(path, body, params);
    const back = path.endsWith('/undo') ? null : answer.back ?? (answer.events?.length ? { events: answer.events } : answer.change ? { change: answer.change } : null);
    if (words) toast(words, back);
    await app.refresh();
    return answer;
  } catch (trouble) {
    if (trouble.conflict) throw trouble;
    toast(trouble.hint ? `${trouble.message}: ${trouble.hint}` : trouble.message);
    return null;
  }
}

export async function undo(back = done.at(-1)) {
  if (!back) return toast('There is nothing to undo here');
  done.splice(done.indexOf(back), 1);
  app.toasts = app.toasts.filter((each) => each.back !== back);
  return act('Taken back', '/api/undo', back);
}

export function toast(words, back = null) {
  const one = { words, back };
  if (back) done.push(back);
  app.toasts = [...app.toasts.slice(-2), one];
  app.draw();
  const leave = () => {
    if (document.querySelector('.toasts:hover, .toasts:focus-within')) return setTimeout(leave, STAYS / 4);
    app.toasts = app.toasts.filter((each) => each !== one);
    return app.draw();
  };
  setTimeout(leave, STAYS);
}
