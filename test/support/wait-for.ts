import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `condition` holds, or `over` has resolved; rejects after three minutes. */
export async function waitFor(
  condition: () => boolean,
  over: Promise<unknown> = new Promise(() => {}),
): Promise<void> {
  let ended = false;
  void over.then(() => {
    ended = true;
  });
  for (let tries = 0; !condition() && !ended; tries++) {
    if (tries > 36_000) throw new Error('what was waited for did not happen within three minutes');
    await sleep(5);
  }
}
