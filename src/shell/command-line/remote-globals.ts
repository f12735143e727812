import { readFileSync, statSync } from 'node:fs';
import type { ReadConfig } from '../../config/config-file.ts';
import { configPath, MOST_CONFIG_BYTES } from '../../config/config-path.ts';
import { SyncerError } from '../../core/errors.ts';
import { userText } from '../../core/name-bytes.ts';
import { type FlagPreset, typedValue } from './flag-presets.ts';

/** The flags that remotes among the arguments, and those below them, set for the whole run: `global.dry_run`. */
export type RemoteGlobals = (args: readonly string[]) => readonly FlagPreset[];

/** rclone's names of settings whose flags have other names. */
const RENAMED: Readonly<Record<string, string>> = {
  bind_addr: 'bind',
  connect_timeout: 'contimeout',
  headers: 'header',
  no_gzip: 'no-gzip-encoding',
  traffic_class: 'dscp',
};

/** The name of the flag for a setting: `no_check_certificate` is `no-check-certificate`. */
export function flagOfSetting(setting: string): string {
  return RENAMED[setting] ?? setting.replaceAll('_', '-');
}

/**
 * Finds the flags that remotes set, if a word can name one that does; with the configuration, which need not be read
 * again. Of an encrypted one only connection strings count: opening such a remote is an error then.
 */
export async function readRemoteGlobals(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const inWords = argv.some((word) => word.includes('global.'));
  const mayName = argv.some((word) => /^(?:[^-:/,][^:/,]*[:,]|:[^:/,]*,)/.test(word));
  const path = mayName ? configPath(typedValue(argv, '--config'), env) : undefined;
  let config: ReadConfig | undefined;
  let file = '';
  try {
    // A pipe gives its text once: to the command.
    const found = path === undefined ? undefined : statSync(path);
    if (path !== undefined && found?.isFile() && found.size <= MOST_CONFIG_BYTES) {
      const bytes = readFileSync(path);
      let left: Buffer | undefined = bytes;
      const take = () => {
        const taken = left;
        left = undefined;
        return taken;
      };
      config = { path, take };
      file = userText(bytes);
    }
  } catch {
    // Reported when a remote is opened.
  }
  const hasAny = inWords || file.includes('global.');
  return { globals: hasAny ? await globalsIn(file, env) : undefined, config };
}

async function globalsIn(file: string, env: NodeJS.ProcessEnv): Promise<RemoteGlobals> {
  const [{ iniSections, parseIni }, { parseRemoteSpec }, { remotesBelow }] = await Promise.all([
    import('../../config/ini-lines.ts'),
    import('../../config/remote-spec.ts'),
    import('../../config/remotes-below.ts'),
  ]);
  const sections = iniSections(file.includes('global.') ? parseIni(file, 'config') : []);
  return (args) =>
    args.flatMap((arg) => {
      if (!/^:?[^:/,]*[:,]/.test(arg)) return [];
      try {
        // rclone opens those below after the remote itself, so that their settings count more.
        return remotesBelow(parseRemoteSpec(arg), sections, env).flatMap(({ name, overrides }) => {
          const stored = sections.get(name) ?? new Map<string, string>();
          return [...stored, ...overrides].flatMap(([key, text]): FlagPreset[] => {
            if (!key.startsWith('global.')) return [];
            const at = `${key} of remote "${name}"`;
            return [{ section: name, name: flagOfSetting(key.slice(7)), text, at }];
          });
        });
      } catch (thrown) {
        // The command says what is wrong with its argument.
        if (thrown instanceof SyncerError) return [];
        throw thrown;
      }
    });
}
