import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configPath } from '../../config/config-path.ts';
import { SyncerError } from '../../core/errors.ts';
import { userText } from '../../core/name-bytes.ts';
import type { FlagSet } from './flag-set.ts';

/** A flag that the file of defaults sets. */
export interface FlagPreset {
  /** `default`, `remote NAME` or `profile NAME`. */
  readonly section: string;
  /** Name of the flag. */
  readonly name: string;
  readonly text: string;
  /** Where it stands, for messages: `/home/me/.config/syncer/defaults.conf, line 3`. */
  readonly at: string;
}

/** The file of defaults and the flags in it, in the order of the file. */
export interface FlagPresets {
  readonly path: string;
  readonly sections: ReadonlySet<string>;
  readonly presets: readonly FlagPreset[];
}

/**
 * Reads `defaults.conf` beside the configuration file; `undefined` if there is none. Its sections are `[default]`,
 * `[remote NAME]` and `[profile NAME]`, its lines `flag = value`; a list repeats its line. Rejects with `config`, and
 * the line, for anything else.
 */
export async function readFlagPresets(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<FlagPresets | undefined> {
  const config = configPath(typedValue(argv, '--config'), env);
  if (config === undefined) return undefined;
  const path = join(dirname(config), 'defaults.conf');
  let text: string;
  try {
    text = userText(readFileSync(path));
    if (!text.isWellFormed()) throw new Error('it is not UTF-8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new SyncerError('config', `cannot read ${path}: ${message}`);
  }
  const { parseIni } = await import('../../config/ini-lines.ts');
  const sections = new Set<string>();
  const presets: FlagPreset[] = [];
  for (const [index, line] of parseIni(text, path).entries()) {
    if (line.kind !== 'header' && line.kind !== 'pair') continue;
    const at = `${path}, line ${index + 1}`;
    const section = line.section
      .trim()
      .replace(/\s+/g, ' ')
      .replace(/^(remote .*):$/, '$1');
    if (!/^(?:default|(?:remote|profile)\s+\S.*)$/.test(section)) {
      const wanted = 'use [default], [remote NAME] or [profile NAME]';
      throw new SyncerError('config', `${at}: no such section: [${line.section}] (${wanted})`);
    }
    sections.add(section);
    if (line.kind === 'header') continue;
    const name = line.key.replace(/^--/, '').replaceAll('_', '-');
    // They choose the file or the section.
    if (['config', 'profile', 'help', 'version'].includes(name)) {
      throw new SyncerError('config', `${at}: --${name} must be on the command line`);
    }
    presets.push({ section, name, text: line.value, at });
  }
  return { path, sections, presets };
}

/**
 * The presets of a command line, the strongest last: of `[default]`, of the remotes in the order of the arguments, and
 * of the profile. Throws `usage` if there is no such profile.
 */
export function presetsFor(
  {
    path = 'defaults.conf beside the configuration file',
    sections = new Set<string>(),
    presets = [],
  }: Partial<FlagPresets>,
  args: readonly string[],
  profile: string | undefined,
): readonly FlagPreset[] {
  const remotes = args.flatMap((arg) => /^([^:,/]+)[,:]/.exec(arg)?.[1] ?? []);
  const wanted = ['default', ...new Set(remotes.map((name) => `remote ${name}`))];
  if (profile) {
    wanted.push(`profile ${profile}`);
    if (!sections.has(`profile ${profile}`)) {
      const names = [...sections].flatMap((section) => /^profile (.*)$/.exec(section)?.[1] ?? []);
      const has = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
      throw new SyncerError('usage', `no profile "${profile}" in ${path} (${has})`);
    }
  }
  return wanted.flatMap((one) => presets.filter(({ section }) => section === one));
}

/**
 * The flags of the typed `--profile` that a command has, as words: `--transfers=8`.
 *
 * @param isStrong only those that must win over flags of a job or a plan, as words to follow these: all but lists, which
 *   grow
 */
export async function profileWords(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  { byName }: FlagSet,
  isStrong = false,
): Promise<readonly string[]> {
  const profile = typedValue(argv, '--profile');
  if (profile === undefined) return [];
  const { presets = [] } = (await readFlagPresets(argv, env)) ?? {};
  return presets.flatMap(({ section, name, text }) => {
    const flag = byName.get(name);
    const isWanted = section === `profile ${profile}` && flag !== undefined;
    return isWanted && !(isStrong && flag.definition.type === 'list') ? [`--${name}=${text}`] : [];
  });
}

/** The value of the last such flag among the words, before a `--`, as far as that is known before they are parsed. */
export function typedValue(argv: readonly string[], flag: string): string | undefined {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  return words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1);
}
