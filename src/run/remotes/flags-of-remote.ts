import type { ResolvedRemote } from '../../config/resolve-options.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { FlagDefinition } from '../../core/flags.ts';
import type { CommandLine } from '../../shell/command-line/command.ts';
import { readFlagValue } from '../../shell/command-line/flag-value.ts';
import { flagOfSetting } from '../../shell/command-line/remote-globals.ts';
import { FLAGS, type Flags } from '../../shell/flags/flag-table.ts';

/** The flags that can be set for one remote: they change only how it is connected. */
const OF_REMOTE: ReadonlySet<string> = new Set([
  ...['bind', 'ca-cert', 'client-cert', 'client-key', 'client-pass', 'contimeout', 'timeout'],
  ...['disable-http-keep-alives', 'dump', 'expect-continue-timeout', 'http-proxy', 'user-agent'],
  ...['header', 'header-upload', 'header-download', 'low-level-retries', 'no-check-certificate'],
]);

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
      // A screen or a completion has no arguments and opens remotes only to look at them.
      if (line.args.length === 0 || line.appliedGlobals?.has(name)) continue;
      throw broken(
        'cannot be applied: it counts only for a remote that is an argument, and not in an encrypted configuration; give the flag',
      );
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
