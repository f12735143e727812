import type { ConfigSections } from '../../config/ini-lines.ts';
import type { RemoteSpec } from '../../config/remote-spec.ts';
import type { FixedOptions, ResolvedRemote } from '../../config/resolve-options.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { FlagDefinition } from '../../core/flags.ts';
import type { Remote } from '../../core/remote.ts';
import type { CommandLine } from '../../shell/command-line/command.ts';
import { readFlagValue } from '../../shell/command-line/flag-value.ts';
import { flagOfSetting } from '../../shell/command-line/remote-globals.ts';
import { FLAGS, type Flags } from '../../shell/flags/flag-table.ts';

/**
 * Parses HTTP headers of a flag: `Name: value`. Names become lower case; the last of a name wins. Throws `usage` with
 * the flag for an invalid header.
 */
export function readHeaders(
  flag: string,
  lines: readonly string[],
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      throw new SyncerError(
        'usage',
        `${flag}: failed to parse "${line}" as an HTTP header: write it like "Content-Encoding: gzip"`,
      );
    }
    headers[name] = line.slice(colon + 1).trim();
  }
  return headers;
}

/** Local options that override all others: follow symbolic links. */
export const FOLLOW_LINKS: FixedOptions = { copy_links: 'true', links: 'false' };

/** As `FOLLOW_LINKS`: skip symbolic links. */
export const SKIP_LINKS: FixedOptions = { copy_links: 'false', links: 'false' };

/** As `FOLLOW_LINKS`: list symbolic links as files. */
export const LIST_LINKS: FixedOptions = { copy_links: 'false', links: 'true' };

/** rclone's default of `--checkers`, which its backends are made for. */
const CHECKERS_OF_RCLONE = 8;

/** Whether one of the remotes may bear few requests at once. */
export function bearsFew(...remotes: readonly Pick<Remote, 'traits'>[]): boolean {
  return remotes.some(({ traits }) => traits.carries !== undefined);
}

/** Number of parallel requests for a remote, or for two that are compared (`--checkers`). */
export function requestsAtOnce(flags: Flags, ...remotes: readonly Remote[]): number {
  if (flags.checkers === undefined && bearsFew(...remotes)) return CHECKERS_OF_RCLONE;
  return Math.max(1, flags.checkers ?? (areOnDisk(remotes) ? 16 : 32));
}

/**
 * As `requestsAtOnce`, where hashes are read. On disks these are the files that wait for the thread: fewer make its
 * messages too short.
 */
export function hashesAtOnce(flags: Flags, ...remotes: readonly Remote[]): number {
  if (flags.checkers === undefined && bearsFew(...remotes)) return CHECKERS_OF_RCLONE;
  return Math.max(1, flags.checkers ?? (areOnDisk(remotes) ? 128 : 32));
}

function areOnDisk(remotes: readonly Remote[]): boolean {
  return remotes.every(({ traits }) => traits.onDisk);
}

/** The flags that can be set for one remote: they change only how it is connected. */
const OF_REMOTE: ReadonlySet<string> = new Set([
  ...['bind', 'ca-cert', 'client-cert', 'client-key', 'client-pass', 'contimeout', 'timeout'],
  ...['disable-http-keep-alives', 'dump', 'expect-continue-timeout', 'http-proxy', 'user-agent'],
  ...['header', 'header-upload', 'header-download', 'low-level-retries', 'no-check-certificate'],
]);

/** Throws `config` for a `global.` setting of a remote that rclone opens below another one, if it is not applied. */
export function rejectGlobalsBelow(
  below: readonly RemoteSpec[],
  config: ConfigSections,
  line: Pick<CommandLine, 'args' | 'appliedGlobals'>,
): void {
  for (const { name, overrides } of below) {
    for (const setting of [...(config.get(name)?.keys() ?? []), ...overrides.keys()]) {
      if (setting.startsWith('global.')) rejectUnapplied(setting, name, line);
    }
  }
}

function rejectUnapplied(
  setting: string,
  name: string,
  { args, appliedGlobals }: Pick<CommandLine, 'args' | 'appliedGlobals'>,
): void {
  // A screen or a completion has no arguments and opens remotes only to look at them.
  if (args.length === 0 || appliedGlobals?.has(name)) return;
  const why =
    'cannot be applied: it counts only for a remote that is an argument, or is below one, and not in an encrypted configuration; give the flag';
  throw new SyncerError('config', `"${setting}" of remote "${name}" ${why}`);
}

/**
 * The flags of a run as they are for one remote: with its `override.` settings and those of its aliases. Throws
 * `config` for one that cannot be set for one remote or has an invalid value, and for a `global.` setting that the
 * command line could not apply.
 */
export function flagsOfRemote(
  settings: ResolvedRemote['flags'],
  line: CommandLine,
  nowMs: number,
): Flags {
  const changed: Record<string, unknown> = {};
  for (const [setting, { text, remote: name }] of Object.entries(settings)) {
    const broken = (why: string) =>
      new SyncerError('config', `"${setting}" of remote "${name}" ${why}`);
    if (setting.startsWith('global.')) {
      rejectUnapplied(setting, name, line);
      continue;
    }
    const flag = flagOfSetting(setting.slice('override.'.length));
    if (!OF_REMOTE.has(flag) || !Object.hasOwn(FLAGS, flag)) {
      throw broken(`cannot be set for one remote: use global.${setting.slice(9)}, or the flag`);
    }
    const definition = FLAGS[flag as keyof typeof FLAGS] as FlagDefinition;
    try {
      changed[flag] = readFlagValue(definition, text, changed[flag] as undefined, nowMs);
    } catch (thrown) {
      throw broken(`has an invalid value: ${toSyncerError(thrown).message}`);
    }
  }
  return Object.keys(changed).length === 0 ? line.flags : { ...line.flags, ...changed };
}
