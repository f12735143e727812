import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { readRegularFile } from '../../files/read-whole.ts';
import { replaceText } from '../../files/replace-text.ts';

/** What is remembered of two places that are synced, whichever is the source. */
export interface PairRecord {
  /** The sources of the last good runs, as `placeKey`, newest first. */
  readonly sources: readonly string[];
  /** The file system that a local place was on in the last good run from it, by `placeKey`. */
  readonly devices: Readonly<Record<string, string>>;
}

/** The value that is in the marker of a place. */
export interface MarkerRecord {
  readonly value: string;
}

/** Names a place in every run: a path on this machine, or the path in a bucket or drive. */
export function placeKey({ name, root, storeId, traits }: Remote): string {
  if (traits.onDisk && traits.inProcess !== true) return `disk ${resolve(root)}`;
  return `${storeId ?? `${name}:`} ${root}`;
}

/** Records of the guards in the state directory, a file for each. Their functions reject with `guarded`. */
export class GuardRecords {
  readonly #folder: string;

  /** Throws `usage` for a user without a home: what cannot be remembered cannot be compared. */
  constructor(env: NodeJS.ProcessEnv) {
    const folder = stateDir(env);
    if (folder === undefined) {
      const why = 'this user has no home directory to remember them in';
      throw new SyncerError('usage', `--guard: ${why}; set HOME or XDG_STATE_HOME`);
    }
    this.#folder = join(folder, 'guards');
  }

  /** What is known of the pair; nothing before its first good run. */
  async pair(a: string, b: string): Promise<PairRecord> {
    const record = await this.#read<PairRecord>(this.#pairFile(a, b), isPair);
    return record ?? { sources: [], devices: {} };
  }

  writePair(a: string, b: string, record: PairRecord): Promise<void> {
    return this.#write(this.#pairFile(a, b), record);
  }

  /** The remembered value of a marker; `undefined` if there is none. */
  async marker(place: string): Promise<string | undefined> {
    const isMarker = (record: Partial<MarkerRecord>) => typeof record.value === 'string';
    return (await this.#read<MarkerRecord>(this.#file('marker', place), isMarker))?.value;
  }

  writeMarker(place: string, value: string): Promise<void> {
    return this.#write(this.#file('marker', place), { value } satisfies MarkerRecord);
  }

  #pairFile(a: string, b: string): string {
    return this.#file('pair', ...[a, b].sort());
  }

  #file(kind: string, ...keys: readonly string[]): string {
    const id = createHash('sha256').update(keys.join('\n')).digest('hex').slice(0, 24);
    return join(this.#folder, `${kind}-${id}.json`);
  }

  async #read<T extends object>(
    path: string,
    isValid: (record: Partial<T>) => boolean,
  ): Promise<T | undefined> {
    try {
      const record: unknown = JSON.parse(String(await readRegularFile(path)));
      if (typeof record === 'object' && record !== null && isValid(record as Partial<T>))
        return record as T;
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      if (code !== undefined) throw unreadable(path, message);
    }
    throw unreadable(path, 'it is damaged');
  }

  async #write(path: string, record: object): Promise<void> {
    await makeFolder(dirname(path), 0o700);
    await replaceText(path, `${JSON.stringify(record)}\n`);
  }
}

function isPair({ sources, devices }: Partial<PairRecord>): boolean {
  return Array.isArray(sources) && typeof devices === 'object' && devices !== null;
}

function unreadable(path: string, why: string): SyncerError {
  return new SyncerError(
    'guarded',
    `what the guards remember cannot be read from ${path}: ${why}`,
    {
      advice: 'delete this file to start again',
    },
  );
}
