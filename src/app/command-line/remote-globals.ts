import { readFileSync, statSync } from 'node:fs';
import { configPath } from '../../config/config-path.ts';
import { SyncerError } from '../../core/errors.ts';
import { type FlagPreset, typedConfig } from './flag-presets.ts';

/** The flags that remotes among the arguments set for the whole run: `global.dry_run`. */
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
 * Finds the flags that remotes set; `undefined` if no word can name such a remote. Of an encrypted configuration only
 * connection strings count: opening such a remote is an error then.
 */
export async function readRemoteGlobals(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<RemoteGlobals | undefined> {
  const inWords = argv.some((word) => word.includes('global.'));
  const file = argv.some((word) => /^[^-:/,][^:/,]*[:,]/.test(word))
    ? textOf(configPath(typedConfig(argv), env))
    : '';
  if (!inWords && !file.includes('global.')) return undefined;
  const [{ iniSections, parseIni }, { parseRemoteSpec }] = await Promise.all([
    import('../../config/ini-lines.ts'),
    import('../../config/remote-spec.ts'),
  ]);
  const sections = iniSections(file.includes('global.') ? parseIni(file, 'config') : []);
  return (args) =>
    args.flatMap((arg) => {
      if (!/^:?[^:/,]*[:,]/.test(arg)) return [];
      try {
        const { name, overrides } = parseRemoteSpec(arg);
        const stored = sections.get(name) ?? new Map<string, string>();
        return [...stored, ...overrides].flatMap(([key, text]): FlagPreset[] => {
          if (!key.startsWith('global.')) return [];
          const at = `${key} of remote "${name}"`;
          return [{ section: name, name: flagOfSetting(key.slice(7)), text, at }];
        });
      } catch (thrown) {
        // The command says what is wrong with its argument.
        if (thrown instanceof SyncerError) return [];
        throw thrown;
      }
    });
}

function textOf(path: string | undefined): string {
  if (path === undefined) return '';
  try {
    // A pipe gives its text once: to the command.
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
  } catch {
    // Reported when a remote is opened.
    return '';
  }
}
