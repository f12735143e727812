import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configPath } from '../../config/config-path.ts';
import { SyncerError } from '../../core/errors.ts';
import { userText } from '../../core/name-bytes.ts';
import type { Flags } from '../flags/flag-table.ts';

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

const SECTION = /^(?:default|(?:remote|profile)\s+\S.*)$/;

/** Flags that choose the file or the section, so must not stand in it. */
const NOT_IN_FILE = new Set(['config', 'profile', 'help', 'version']);

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
    if (!SECTION.test(section)) {
      const wanted = 'use [default], [remote NAME] or [profile NAME]';
      throw new SyncerError('config', `${at}: no such section: [${line.section}] (${wanted})`);
    }
    sections.add(section);
    if (line.kind === 'header') continue;
    const name = line.key.replace(/^--/, '').replaceAll('_', '-');
    if (NOT_IN_FILE.has(name)) {
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
  { path, sections, presets }: FlagPresets,
  args: readonly string[],
  { profile }: Pick<Flags, 'profile'>,
): readonly FlagPreset[] {
  const remotes = args.flatMap((arg) => /^([^:,/]+)[,:]/.exec(arg)?.[1] ?? []);
  const wanted = ['default', ...new Set(remotes.map((name) => `remote ${name}`))];
  if (profile) {
    if (!sections.has(`profile ${profile}`)) throw noProfile(profile, path, sections);
    wanted.push(`profile ${profile}`);
  }
  return wanted.flatMap((one) => presets.filter(({ section }) => section === one));
}

/** The error for a profile that is not in the file of defaults. */
export function noProfile(
  profile: string,
  path: string | undefined,
  sections: ReadonlySet<string> = new Set(),
): SyncerError {
  const names = [...sections].flatMap((section) => /^profile (.*)$/.exec(section)?.[1] ?? []);
  const has = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  const where = path === undefined ? 'defaults.conf beside the configuration file' : path;
  return new SyncerError('usage', `no profile "${profile}" in ${where} (${has})`);
}

/** The value of the last such flag among the words, before a `--`, as far as that is known before they are parsed. */
export function typedValue(argv: readonly string[], flag: string): string | undefined {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  return words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1);
}
