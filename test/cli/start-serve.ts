import { setTimeout as sleep } from 'node:timers/promises';
import type { SyncerWorld } from '../support/run-syncer.ts';

/** A running `syncer serve s3`. */
export interface Served {
  readonly running: ReturnType<SyncerWorld['start']>;
  /** Where it answers. */
  readonly endpoint: string;
}

/** Starts `syncer serve s3` on a free port of loopback; rejects where it ends instead. */
export async function startServe(world: SyncerWorld, args: readonly string[]): Promise<Served> {
  const running = world.start(['serve', 's3', ...args, '--addr', 'localhost:0']);
  let over = false;
  void running.ended.then(() => {
    over = true;
  });
  for (;;) {
    const endpoint = /http:\/\/127\.0\.0\.1:\d+/.exec(running.seen.stderr)?.[0];
    if (endpoint !== undefined) return { running, endpoint };
    if (over) throw new Error(`the server ended: ${running.seen.stderr}`);
    await sleep(10);
  }
}
