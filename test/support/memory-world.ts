import { type MemoryOptions, memoryRemote } from '../../src/backends/memory/memory-remote.ts';
import { MemoryTree } from '../../src/backends/memory/memory-tree.ts';
import { type Context, systemClock } from '../../src/core/context.ts';
import type { SyncerEvent } from '../../src/core/events.ts';
import { defaultValue, type ValuesOf } from '../../src/core/flags.ts';
import { joinModTime } from '../../src/core/mod-time.ts';
import type { Remote } from '../../src/core/remote.ts';
import type { Verb } from '../../src/engine/action.ts';
import { ALL, type Consent } from '../../src/engine/consent.ts';
import { Budget } from '../../src/engine/loss/budget.ts';
import type { SyncOptions } from '../../src/engine/pass.ts';
import { backupPass } from '../../src/engine/passes/backups/backups.ts';
import { casePass } from '../../src/engine/passes/case/case.ts';
import { orderPass } from '../../src/engine/passes/order.ts';
import { referencePass } from '../../src/engine/passes/references/references.ts';
import { renamePass } from '../../src/engine/passes/renames/track-renames.ts';
import { RULE_FLAGS, type RuleRows, ruleOptions } from '../../src/engine/rules/flags.ts';
import type { Attempt } from '../../src/engine/run.ts';
import { attemptSync } from '../../src/engine/sync.ts';
import { type Filter, passAllFilter } from '../../src/filter/filter.ts';
import { messageOf } from '../../src/shell/log/words.ts';

/** Files by path: content, or content and the second of its modification time. */
export type Files = Readonly<Record<string, string | readonly [content: string, second: number]>>;

const op = { signal: new AbortController().signal };

/** How many remotes were made: each gets a name of its own, as from a configuration. */
let made = 0;

/** A remote in memory that holds `files`, all from second 1,000 where they do not say. */
export async function remoteWith(files: Files, options: MemoryOptions = {}): Promise<Remote> {
  const remote = memoryRemote({ name: `memory${++made}`, tree: new MemoryTree(), ...options });
  for (const [path, file] of Object.entries(files)) {
    if (path.endsWith('/')) {
      await remote.makeDir(path.slice(0, -1), op);
      continue;
    }
    const [content, second] = typeof file === 'string' ? [file, 1000] : file;
    const body = Buffer.from(content);
    await remote.write(
      {
        path,
        size: body.length,
        modTime: joinModTime(Math.floor(second), Math.round((second % 1) * 1e9)),
        seekable: true,
        open: async () => body,
      },
      op,
    );
  }
  return remote;
}

/** What a remote holds: `path` → `content@second`, and empty directories as `path/`. */
export async function contentsOf(remote: Remote, dir = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  let cursor: string | undefined;
  do {
    const page = await remote.listPage(dir, cursor, op);
    for (const entry of page.entries) {
      if (entry.kind === 'dir') {
        const below = await contentsOf(remote, entry.path);
        Object.assign(found, Object.keys(below).length > 0 ? below : { [`${entry.path}/`]: '' });
        continue;
      }
      const body = await remote.read(entry, undefined, op);
      const detailed = (await remote.can.details?.read(entry, op)) ?? entry;
      const content = Buffer.isBuffer(body) ? body : Buffer.concat(await body.toArray());
      found[entry.path] = `${content}@${(detailed.modTime ?? 0n) / 1_000_000_000n}`;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

/** The flags of rules, of which none is given. */
export const noRuleFlags = Object.fromEntries(
  Object.entries(RULE_FLAGS).map(([flag, row]) => [flag, defaultValue(row)]),
) as ValuesOf<RuleRows>;

/** The engine's options with nothing set. */
export const plainOptions: SyncOptions = {
  ...ruleOptions(noRuleFlags),
  checksum: false,
  sizeOnly: false,
  ignoreSize: false,
  noUpdateDirModTime: false,
  modifyWindowNs: 1n,
  noTraverse: false,
  noCheckDest: false,
  noUnicodeNormalization: false,
  ignoreCaseSync: false,
  deletes: 'off',
  ignoreErrors: false,
  maxTransfer: -1,
  cutoffMode: 'hard',
  createEmptySrcDirs: false,
  deleteEmptySrcDirs: false,
  ignoreChecksum: false,
  fastList: false,
  serverSideAcrossConfigs: false,
  maxBacklog: 10_000,
  refreshTimes: false,
  transfers: 4,
  checkers: 4,
  lowLevelRetries: 3,
  passes: [],
};

/** Options of the engine, and what flags of passes say. */
export interface OptionParts extends Partial<SyncOptions> {
  readonly backup?: Parameters<typeof backupPass>[0];
  readonly checkFirst?: boolean;
  readonly fixCase?: boolean;
  readonly trackRenames?: Parameters<typeof renamePass>[0] | false;
  readonly references?: Parameters<typeof referencePass>[0];
  /** What the run may lose; without a limit by default. */
  readonly budget?: Budget;
}

/** `plainOptions` with others, and with the passes that they ask for. */
export function optionsOf({
  backup,
  checkFirst,
  fixCase,
  references,
  trackRenames = false,
  budget: _,
  ...options
}: OptionParts): SyncOptions {
  const passes = [...(options.passes ?? [])];
  if (fixCase === true) passes.push(casePass);
  if (trackRenames !== false) passes.push(renamePass(trackRenames));
  if (backup !== undefined) passes.push(backupPass(backup));
  if (references !== undefined) passes.push(referencePass(references));
  if (checkFirst === true) passes.push(orderPass(true, undefined));
  return { ...plainOptions, ...options, passes };
}

/** A context that keeps every event and never waits. */
export function quietContext(): { context: Context; events: SyncerEvent[]; logLines(): string[] } {
  const events: SyncerEvent[] = [];
  const context: Context = {
    signal: new AbortController().signal,
    clock: { ...systemClock, sleep: async () => {} },
    emit: (event) => events.push(event),
    verbose: true,
  };
  const logLines = () =>
    events.flatMap((event) =>
      event.type === 'log'
        ? [
            `${event.level}: ${event.path === undefined ? '' : `${event.path}: `}${messageOf(event)}`,
          ]
        : [],
    );
  return { context, events, logLines };
}

/** One attempt, with what it logged. */
export async function runOnce(
  verb: Verb,
  source: Remote,
  dest: Remote,
  options: OptionParts = {},
  filter: Filter = passAllFilter,
  consent: Consent = ALL,
  listCutoff?: number,
): Promise<Attempt & { log: string[]; events: SyncerEvent[] }> {
  const { context: quiet, events, logLines } = quietContext();
  const context = listCutoff === undefined ? quiet : { ...quiet, listCutoff };
  const deletes = verb === 'sync' ? 'after' : 'off';
  const attempt = await attemptSync(
    { context, filter, consent, budget: options.budget ?? new Budget() },
    { verb, source, dest, options: optionsOf({ deletes, ...options }) },
  );
  return { ...attempt, log: logLines(), events };
}

/** A remote that is `remote` but for the members given. */
export function remoteBut(remote: Remote, changes: Partial<Remote>): Remote {
  return { ...bound(remote), ...changes };
}

function bound(remote: Remote): Remote {
  return {
    name: remote.name,
    root: remote.root,
    title: remote.title,
    traits: remote.traits,
    can: remote.can,
    ...(remote.isTooLong && { isTooLong: remote.isTooLong.bind(remote) }),
    listPage: remote.listPage.bind(remote),
    stat: remote.stat.bind(remote),
    read: remote.read.bind(remote),
    write: remote.write.bind(remote),
    delete: remote.delete.bind(remote),
    makeDir: remote.makeDir.bind(remote),
    deleteDir: remote.deleteDir.bind(remote),
    close: remote.close.bind(remote),
  };
}
