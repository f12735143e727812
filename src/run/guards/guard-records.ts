import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { collectBody, wholeSource } from '../../core/body.ts';
import type { Context } from '../../core/context.ts';
import { isStop, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Op, Remote } from '../../core/remote.ts';
import type { Environment } from '../../shell/command-line/command.ts';
import type { Database } from '../../state/database.ts';
import type { Stores } from '../../state/stores.ts';

/** Names a place in every run: a path on this machine, or the path in a bucket or drive. */
export function placeKey({ name, root, storeId, traits }: Remote): string {
  if (traits.onDisk && traits.inProcess !== true) return `disk ${resolve(root)}`;
  return `${storeId ?? `${name}:`} ${root}`;
}

/** What the guards remember, in the state of syncer: each method is one transaction, and rejects with `guarded`. */
export class GuardRecords {
  readonly #context: Context;
  readonly #stores: Stores;

  /** Throws `usage` for a user without a home: what cannot be remembered cannot be compared. */
  constructor(context: Context, { env, stores }: Environment) {
    this.#context = context;
    this.#stores = stores;
    if (stateDir(env) !== undefined) return;
    const why = 'this user has no home directory to remember them in';
    throw new SyncerError('usage', `--guard: ${why}; set HOME or XDG_STATE_HOME`);
  }

  read<T>(work: (state: Database) => T): Promise<T> {
    const { signal } = this.#context;
    return this.#guarded((state) => state.read(() => work(state), signal));
  }

  write(work: (state: Database) => void): Promise<void> {
    const { signal } = this.#context;
    return this.#guarded((state) => state.write(() => work(state), signal, 'lasting'));
  }

  /** Throws if an earlier version remembers these places, of which this one has nothing. */
  requireNew(kind: 'pair' | 'marker', ...places: readonly string[]): void {
    const id = hash('sha256', places.toSorted().join('\n')).slice(0, 24);
    const folder = join(this.#stores.stateFolder ?? '', 'guards');
    const path = join(folder, `${kind}-${id}.json`);
    if (!existsSync(path)) return;
    const text = `what an earlier version remembers of these places is not compared: ${path}`;
    const advice = 'look whether source and destination are right, and delete this file';
    throw new SyncerError('guarded', text, { path, advice });
  }

  async #guarded<T>(work: (state: Database) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#stores.state());
    } catch (thrown) {
      const cause = toSyncerError(thrown);
      if (isStop(cause)) throw cause;
      const { message, advice } = cause;
      const text = `what the guards remember cannot be used: ${message}`;
      throw new SyncerError('guarded', text, { cause, ...(advice && { advice }) });
    }
  }
}

/** The content of the marker at `path`; `undefined` if there is no such file, `''` if it is too long to be one. */
export async function readMarker(
  remote: Remote,
  path: string,
  op: Op,
): Promise<string | undefined> {
  const entry = await remote.stat(path, op);
  if (entry?.kind !== 'file') return undefined;
  if (entry.size > 4096) return '';
  const body = await remote.read(entry, undefined, op);
  return (await collectBody(body, op.signal)).toString('utf8').trim();
}

/** Writes a marker with a random value, and returns the value. Rejects with `already-exists` if there is one by now. */
export async function writeMarker(remote: Remote, path: string, op: Op): Promise<string> {
  const value = randomBytes(16).toString('hex');
  const isNew = remote.can.writesIfUnchanged && ({ replaces: 'nothing' } as const);
  await remote.write(wholeSource({ path, ...isNew }, Buffer.from(`${value}\n`)), op);
  if ((await readMarker(remote, path, op)) === value) return value;
  throw new SyncerError('bad-answer', `${path} does not hold what was written`, { path });
}
