import { alike, around } from '../../core/around.ts';
import type { Context } from '../../core/context.ts';
import { DamagedDatabase, DamagedNote, SyncerError, toSyncerError } from '../../core/errors.ts';
import { type MemberName, membersOf } from '../../core/members.ts';
import { observed } from '../../core/observed.ts';
import { once } from '../../core/once.ts';
import type { Capabilities, Remote } from '../../core/remote.ts';
import { withMemory } from '../../core/with-memory.ts';
import { hideOwnNames } from '../../names/hide-own-names.ts';
import type { CommandLine, CommandSummary } from '../../shell/command-line/command.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import { logText } from '../../shell/log/log-text.ts';
import type { Stores } from '../../state/stores.ts';
import type { LazyJournal } from '../history/lazy-journal.ts';

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

/** The layers that a run puts around its remotes. */
export interface RunLayers {
  /**
   * The remote in its layers, from the inside: disabled features, observers (failed proofs, modification times,
   * hashes: in this order), memory, journal, own names.
   */
  around(remote: Remote): Promise<Remote>;
  /** Writes what was learned, after the remotes are closed. */
  close(): Promise<void>;
}

/**
 * Sets up the layers that a run puts around its remotes; what they read is read when the first remote is opened. Throws `usage`.
 *
 * @param stores what the layers keep; without it they keep nothing
 */
export function createLayers(
  line: CommandLine,
  context: Context,
  runId: string,
  journal: LazyJournal | undefined,
  stores: Stores | undefined,
  openPlain: (spec: string) => Promise<Remote>,
): RunLayers {
  const { summary, flags } = line;
  const { clock, emit } = context;
  const disabled = disabledFeatures(flags.disable);
  const noCache = (what: string) => (error: unknown) =>
    emit(logText('debug', `${what} are not cached: ${toSyncerError(error).message}`));
  /** The index of modification times, if the command uses it. */
  const times = once(async () => {
    const isUsed = !flags['no-index'] && usesModTimes(summary, flags);
    if (stores === undefined || !isUsed) return undefined;
    const { openModTimes } = await import('../../caches/times/mod-time-index.ts');
    return openModTimes({ stores, clock, onTrouble: noCache('Modification times') });
  });
  /** The cache of hashes, if the command computes any. */
  const hashes = once(async () => {
    const isUsed = !flags['no-hash-cache'] && summary?.usesHashes?.(flags) === true;
    if (stores === undefined || !isUsed) return undefined;
    const { openHashCache } = await import('../../caches/hashes/hash-cache.ts');
    const how = { runId, believes: flags['use-hash-cache'] };
    return openHashCache({ stores, clock, onTrouble: noCache('Hashes') }, how);
  });
  /** The notes of failed writes, if the remote can undo them. Where they cannot be read, only a move needs them. */
  const proofs = async (remote: Remote) => {
    if (remote.can.takeBack === undefined) return undefined;
    const { proofObserver } = await import('../../caches/proof-observer.ts');
    try {
      return await proofObserver(remote, context, stores);
    } catch (thrown) {
      const isMove = summary?.moves === 'to-dest';
      if (thrown instanceof DamagedNote || (isMove && thrown instanceof DamagedDatabase))
        throw thrown;
      stores?.tellMissing('Wrong files that earlier runs noted are not known', thrown);
      return proofObserver(remote, context, undefined);
    }
  };
  return {
    async around(remote) {
      const able = disableFeatures(remote, disabled);
      const observers = [
        await proofs(able),
        await (await times())?.observe(able),
        await (await hashes())?.observe(able),
      ];
      const learning = observed(able, observers, clock);
      const { memory } = context;
      const thrifty = memory === undefined ? learning : withMemory(learning, memory);
      return hideOwnNames((await journal?.around(thrifty, openPlain)) ?? thrifty);
    },
    async close() {
      await (await times())?.close();
      await (await hashes())?.close();
    },
  };
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
