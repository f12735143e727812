import { OWN_BACKENDS } from '../../src/backends/index.ts';
import { type ConfigFile, type ConfigKey, openConfigFile } from '../../src/config/config-file.ts';
import { type AskPassword, passwordFrom } from '../../src/config/config-password.ts';
import { type ImportedRemote, importRemotes } from '../../src/config/import-remotes.ts';
import { type ConfigSections, type IniLine, iniSections } from '../../src/config/ini-lines.ts';
import { kindOf } from '../../src/config/option-sources.ts';
import type { Emit } from '../../src/core/events.ts';
import { isRcloneUsable, loginWithoutRclone } from '../../src/run/remotes/left-to-rclone.ts';
import type { CommandCall, Environment } from '../../src/shell/command-line/command.ts';

/** The configuration of another program. */
export interface ForeignConfig {
  readonly sections: ConfigSections;
  readonly key: ConfigKey;
}

/** Reads it, with rclone's password, syncer's, or one asked for. Rejects with `config` and `config-password`. */
export async function readForeign(
  path: string,
  { flags, env }: CommandCall & Environment,
  ask: AskPassword | undefined,
  emit: Emit,
): Promise<ForeignConfig> {
  const command = flags['password-command'];
  const variables = [{ variable: 'RCLONE_CONFIG_PASS' }, { variable: 'SYNCER_CONFIG_PASS' }];
  const password = passwordFrom([{ command }, ...variables, { ask }], env);
  const foreign = openConfigFile(path, emit, password);
  return { sections: iniSections(await foreign.read()), key: await foreign.key() };
}

/**
 * Writes its remotes into `file`, which adopts its encryption if it was empty.
 *
 * @returns `isWritten`: `false` if a guard (`--dry-run`, `--interactive`) prevented the change; `isExposed`: the imported
 * values were encrypted, and are not encrypted here
 */
export async function takeOver(file: ConfigFile, foreign: ForeignConfig, force: boolean) {
  let remotes: readonly ImportedRemote[] = [];
  let fallsOpen = false;
  const take = (lines: readonly IniLine[]) => {
    const result = importRemotes(lines, foreign.sections, force);
    remotes = result.remotes;
    fallsOpen = foreign.key !== undefined && lines.length > 0;
    return result.lines;
  };
  const before = await file.read();
  if (take(before) === before) return { remotes, isWritten: true, isExposed: false };
  // A configuration in memory needs no key; others ask for it when they are written.
  let isWritten = file.path === undefined;
  const replaces = () => remotes.some(({ outcome }) => outcome === 'replaced');
  const rekey = (key: ConfigKey) => {
    isWritten = true;
    return key ?? (fallsOpen ? undefined : foreign.key);
  };
  await file.update(take, rekey, replaces);
  return { remotes, isWritten, isExposed: fallsOpen && (await file.key()) === undefined };
}

/** Whether a remote of the other configuration is now in this one. */
export const isImported = ({ outcome }: ImportedRemote): boolean =>
  outcome === 'imported' || outcome === 'replaced';

/**
 * The imported remotes whose logins only rclone can renew: `left` to the one that is installed, or, without one, what is
 * `said` about each.
 */
export async function lefts(
  remotes: readonly ImportedRemote[],
  sections: ConfigSections,
  { flags, env, context }: CommandCall & Environment,
): Promise<{ readonly left: readonly string[]; readonly said: readonly string[] }> {
  const logins = remotes.filter(isImported).flatMap(({ name, type }) => {
    const backend = kindOf(type, OWN_BACKENDS);
    const options = Object.fromEntries(sections.get(name) ?? []);
    const login = backend && loginWithoutRclone(backend, options, context.clock.now());
    return login === undefined ? [] : [{ name, text: login.text }];
  });
  if (logins.length === 0) return { left: [], said: [] };
  if (await isRcloneUsable({ flags, env }))
    return { left: logins.map(({ name }) => name), said: [] };
  return { left: [], said: logins.map(({ name, text }) => `${name}: ${text}`) };
}
