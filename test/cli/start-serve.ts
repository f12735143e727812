import { setTimeout as sleep } from 'node:timers/promises';
import type { SyncerWorld } from '../support/run-syncer.ts';

/** A running `syncer serve`. */
export interface Served {
  readonly running: ReturnType<SyncerWorld['start']>;
  /** Where it answers, without a path. */
  readonly endpoint: string;
}

/** Starts `syncer serve` on a free port of loopback; rejects where it ends instead. */
export async function startServe(
  world: SyncerWorld,
  args: readonly string[],
  protocol = 's3',
): Promise<Served> {
  const running = world.start(['serve', protocol, ...args, '--addr', 'localhost:0']);
  let over = false;
  void running.ended.then(() => {
    over = true;
  });
  for (;;) {
    const endpoint = /https?:\/\/127\.0\.0\.1:\d+/.exec(running.seen.stderr)?.[0];
    if (endpoint !== undefined) return { running, endpoint };
    if (over) throw new Error(`the server ended: ${running.seen.stderr}`);
    await sleep(10);
  }
}
