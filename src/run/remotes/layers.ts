import { alike, around } from '../../core/around.ts';
import type { Context } from '../../core/context.ts';
import { DamagedDatabase, DamagedNote, SyncerError, toSyncerError } from '../../core/errors.ts';
import { type MemberName, membersOf } from '../../core/members.ts';
import { type Observer, observed } from '../../core/observed.ts';
import { once } from '../../core/once.ts';
import type { Capabilities, Remote } from '../../core/remote.ts';
import { lacksListedTimes } from '../../core/remote-calls.ts';
import { withMemory } from '../../core/with-memory.ts';
import { hideOwnNames } from '../../names/hide-own-names.ts';
import type { CommandSummary } from '../../shell/command-line/command.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { logText } from '../../shell/log/log-text.ts';
import type { LazyJournal } from '../history/lazy-journal.ts';
import type { OpenerParts } from './resolve-remote.ts';

/** The remote, whose layers are logged: `--dump layers`, which sets this level of the log. */
export function withLayersLogged(
  remote: Remote,
  { emit, verbose }: Pick<Context, 'emit' | 'verbose'>,
): Remote {
  if (verbose === true) {
    const text = `Layers from the inside out: ${(remote.layers ?? []).join(', ')}`;
    emit(logText('debug', text, remote.title));
  }
  return remote;
}

/** What records the run that remotes are opened for. */
export interface RecordedRun {
  /** Goes with what the run learns. */
  readonly runId?: string;
  /** Notes all changes. */
  readonly journal?: LazyJournal | undefined;
}

/** What a run learns from its remotes. */
interface RunCache {
  /** For the layer of a remote; `undefined` if nothing is learned from this one. */
  observe(remote: Remote): Promise<Observer | undefined>;
  close(): Promise<void>;
}

/** The layers that a run puts around its remotes. What they read is read when the first remote is opened. */
export class RunLayers {
  readonly #parts: OpenerParts;
  readonly #run: RecordedRun;
  readonly #openPlain: (spec: string) => Promise<Remote>;
  /** The caches that were opened, in this order. */
  readonly #opened: RunCache[] = [];
  readonly #disabled: ReadonlySet<Feature>;
  readonly #times = once(() => this.#openTimes());
  readonly #hashes = once(() => this.#openHashes());

  /**
   * Throws `usage` for `--disable help`.
   *
   * @param openPlain opens a remote without these layers, for the journal
   */
  constructor(parts: OpenerParts, run: RecordedRun, openPlain: (spec: string) => Promise<Remote>) {
    this.#parts = parts;
    this.#run = run;
    this.#openPlain = openPlain;
    this.#disabled = disabledFeatures(parts.line.flags.disable);
  }

  /**
   * The remote in its layers, from the inside: disabled features, observers (failed proofs, modification times,
   * hashes: in this order), memory, journal, own names.
   */
  async around(remote: Remote): Promise<Remote> {
    const { clock, memory } = this.#parts.context;
    const able = disableFeatures(remote, this.#disabled);
    const observers = [
      await this.#proofs(able),
      lacksListedTimes(able) ? await (await this.#times())?.observe(able) : undefined,
      await (await this.#hashes())?.observe(able),
    ];
    const learning = observed(able, observers, clock);
    const thrifty = memory === undefined ? learning : withMemory(learning, memory);
    const noted = await this.#run.journal?.around(thrifty, this.#openPlain);
    return hideOwnNames(noted ?? thrifty);
  }

  /** Writes what was learned, after the remotes are closed. */
  async close(): Promise<void> {
    for (const cache of this.#opened) await cache.close();
  }

  /** The index of modification times, if the command uses it. */
  async #openTimes(): Promise<RunCache | undefined> {
    const { line, context, stores } = this.#parts;
    const { summary, flags } = line;
    const isUsed = !flags['no-index'] && usesModTimes(summary, flags);
    if (stores === undefined || !isUsed) return undefined;
    const { openModTimes } = await import('../../caches/times/mod-time-index.ts');
    const onTrouble = this.#notCached('Modification times');
    const index = openModTimes({ stores, clock: context.clock, onTrouble });
    this.#opened.push(index);
    return index;
  }

  /** The cache of hashes, if the command computes any. */
  async #openHashes(): Promise<RunCache | undefined> {
    const { line, context, stores } = this.#parts;
    const { summary, flags } = line;
    const isUsed = !flags['no-hash-cache'] && summary?.usesHashes?.(flags) === true;
    if (stores === undefined || !isUsed) return undefined;
    const { openHashCache } = await import('../../caches/hashes/hash-cache.ts');
    const how = { runId: this.#run.runId ?? '', believes: flags['use-hash-cache'] };
    const onTrouble = this.#notCached('Hashes');
    const cache = openHashCache({ stores, clock: context.clock, onTrouble }, how);
    this.#opened.push(cache);
    return cache;
  }

  /** The notes of failed writes, if the remote can undo them. Where they cannot be read, only a move needs them. */
  async #proofs(remote: Remote): Promise<Observer | undefined> {
    if (remote.can.takeBack === undefined) return undefined;
    const { line, context, stores } = this.#parts;
    const { proofObserver } = await import('../../caches/proof-observer.ts');
    try {
      return await proofObserver(remote, context, stores);
    } catch (thrown) {
      const isMove = line.summary?.moves === 'to-dest';
      if (thrown instanceof DamagedNote || (isMove && thrown instanceof DamagedDatabase))
        throw thrown;
      stores?.tellMissing('Wrong files that earlier runs noted are not known', thrown);
      return proofObserver(remote, context, undefined);
    }
  }

  #notCached(what: string): (error: unknown) => void {
    const { emit } = this.#parts.context;
    return (error) =>
      emit(logText('debug', `${what} are not cached: ${toSyncerError(error).message}`));
  }
}

/**
 * Whether a command will use modification times; otherwise the index of them is not read. This affects only the number
 * of requests, never the result.
 */
function usesModTimes(command: CommandSummary | undefined, flags: Flags): boolean {
  if (flags['use-server-modtime']) return false;
  if (flags['min-age'] !== undefined || flags['max-age'] !== undefined) return true;
  return command?.usesTimes?.(flags) === true;
}

/** A capability that can be disabled. */
type Feature = MemberName & keyof Capabilities;

/** What `--disable` can disable, by rclone's names. */
const FEATURES: Readonly<Record<string, readonly Feature[]>> = {
  Purge: ['purge', 'purgeUnlisted'],
  Copy: ['copyFrom'],
  Move: ['moveFrom'],
  DirMove: ['moveDirFrom'],
  CleanUp: ['cleanUp'],
  ListR: ['listTreePage', 'listTreeUnordered'],
  ChangeNotify: ['changes'],
  About: ['about'],
  PublicLink: ['publicLink'],
};

/** The capabilities that `--disable` names, in any case; unknown names are ignored. Throws `usage` for `help`. */
export function disabledFeatures(text: string | undefined): ReadonlySet<Feature> {
  if (text === 'help') {
    const names = Object.keys(FEATURES).join(', ');
    throw new SyncerError('usage', `possible backend features are: ${names}`);
  }
  const named = new Set((text ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const found = Object.entries(FEATURES).filter(([name]) => named.has(name.toLowerCase()));
  return new Set(found.flatMap(([, members]) => members));
}

/** The remote without these capabilities. */
export function disableFeatures(remote: Remote, disabled: ReadonlySet<Feature>): Remote {
  if (disabled.size === 0) return remote;
  return around(remote, 'disabled', {
    ...alike(membersOf(), 'passes'),
    ...alike([...disabled], 'hides'),
  });
}
