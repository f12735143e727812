import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { leadingTo } from '../../../src/config/alias-target.ts';
import { exposure } from '../../../src/config/config-exposure.ts';
import { type ConfigFile, formerPath, openConfigFile } from '../../../src/config/config-file.ts';
import { passwordSource } from '../../../src/config/config-password.ts';
import { configPath } from '../../../src/config/config-path.ts';
import type { Draft } from '../../../src/config/dialogue/draft.ts';
import { importedText } from '../../../src/config/dialogue/file-scripts.ts';
import { changesOf } from '../../../src/config/dialogue/option-question.ts';
import type { Outcome } from '../../../src/config/dialogue/step.ts';
import { createRemote, storedValues, updateRemote } from '../../../src/config/edit-remote.ts';
import { keyOfPassword, type PasswordSource } from '../../../src/config/encrypted-config.ts';
import { deleteIniKey, deleteIniSection, renameSection } from '../../../src/config/ini-edit.ts';
import { type IniLine, iniSections } from '../../../src/config/ini-lines.ts';
import { jobsUsing } from '../../../src/config/job.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type {
  Asking,
  CommandCall,
  Environment,
  Program,
  UnderConsent,
} from '../../../src/shell/command-line/command.ts';
import { readFlagPresets } from '../../../src/shell/command-line/flag-presets.ts';
import { readJobs } from '../../../src/shell/job-file.ts';
import { messageOf } from '../../../src/shell/log/words.ts';
import { followLinks } from '../../../src/state/replace-file.ts';
import { expandPath } from '../../../src/system/shell-words.ts';
import { consentedFile } from '../config-job.ts';
import { lefts, readForeign, takeOver } from '../foreign-config.ts';

/** Writes the result of a dialogue; resolves to a line about it. `atEnd` gets what is said after the wizard. */
export async function carryOut(
  outcome: Outcome,
  { file, former, adoptPassword }: WizardFile,
  invocation: CommandCall & Program & Environment & UnderConsent,
  atEnd: (text: string) => void = () => {},
): Promise<string> {
  const { env, flags, context, consent } = invocation;
  const done = (said: string) =>
    consent.how === 'pretend' ? `Nothing was written (--dry-run). ${said}` : said;
  const withJobs = async (said: string, name: string) => {
    const jobs = await readJobs(flags, env).catch(() => []);
    return done(`${said} ${jobsUsing(jobs, name)}`.trimEnd());
  };
  switch (outcome.type) {
    case 'save': {
      const lines = await file.update((now) => save(now, outcome.draft));
      const isNew = outcome.draft.original === undefined && consent.how === 'all';
      const offer = isNew ? await offerGuards(file.path, iniSections(lines), invocation) : '';
      if (offer !== '') atEnd(offer);
      const fields = exposure(file, lines);
      const more =
        fields === undefined
          ? ''
          : ` Notice: ${messageOf({ type: 'log', level: 'notice', code: 'config-exposed', fields })}.`;
      return done(`Saved "${outcome.draft.name}".${more}`);
    }
    case 'delete':
      await file.update((lines) => deleteIniSection(lines, outcome.name));
      return withJobs(`Deleted "${outcome.name}".`, outcome.name);
    case 'rename': {
      const { from, to } = outcome;
      const lines = await file.update((now) => renameSection(now, from, to));
      const others = leadingTo(iniSections(lines), from).map((name) => `"${name}"`);
      const still = others.length === 0 ? '' : ` ${others.join(', ')} still refers to "${from}".`;
      return withJobs(`Renamed "${from}" to "${to}".${still}`, from);
    }
    case 'copy':
      await file.update((lines) => {
        const sections = iniSections(lines);
        const values = sections.get(outcome.from);
        if (values === undefined) throw gone(outcome.from);
        if (sections.has(outcome.to)) throw taken(outcome.to);
        return updateRemote(lines, outcome.to, values);
      });
      return done(`Copied "${outcome.from}" to "${outcome.to}".`);
    case 'import': {
      const path = resolve(expandPath(outcome.path, env));
      const ask = async () => outcome.password;
      const foreign = await readForeign(path, invocation, ask, context.emit);
      const { names } = outcome;
      const chosen = [...foreign.sections].filter(([name]) => names?.includes(name) ?? true);
      const some = { ...foreign, sections: new Map(chosen) };
      const { remotes, isExposed } = await takeOver(file, some, outcome.force);
      if (foreign.key !== undefined && outcome.password !== undefined && !isExposed) {
        adoptPassword(outcome.password);
      }
      const open = isExposed ? ' They were encrypted there but are not here: see s.' : '';
      const left = [...foreign.sections.keys()].filter((name) => !some.sections.has(name));
      const { said } = await lefts(remotes, some.sections, invocation);
      const more = said.map((text) => ` ${text}.`).join('');
      return done(`${importedText(remotes, left)}${open}${more}`);
    }
    case 'password': {
      const { password } = outcome;
      const key = password === undefined ? undefined : keyOfPassword(password);
      await file.update(
        (lines) => lines,
        () => key,
      );
      if (password !== undefined) adoptPassword(password);
      return done(password === undefined ? 'Decrypted.' : 'Encrypted.');
    }
    case 'undo': {
      const lines = await former();
      if (lines === undefined) throw new SyncerError('config', 'there is no change to undo');
      await file.update((now) => {
        if (isDeepStrictEqual(iniSections(now), outcome.shown)) return lines;
        const text = 'the configuration was changed by another program: nothing is undone';
        throw new SyncerError('config', text);
      });
      return done('The configuration is as it was before. The same key switches back.');
    }
    case 'nothing':
    case 'quit':
      return 'Nothing was changed.';
  }
}

/** Writes only the changed values: what other programs changed, such as a renewed login, stays. */
function save(lines: readonly IniLine[], draft: Draft): readonly IniLine[] {
  const { name, kind, values, original } = draft;
  if (original === undefined) {
    if (iniSections(lines).has(name) && draft.replaces !== true) throw taken(name);
    return createRemote(lines, name, kind.type, storedValues(values, kind, 'always'));
  }
  if (!iniSections(lines).has(name)) throw gone(name);
  const { changed, deleted } = changesOf(draft);
  const kept = deleted.reduce((now, key) => deleteIniKey(now, name, key), lines);
  return updateRemote(kept, name, storedValues(new Map(changed), kind, 'always'));
}

function gone(name: string): SyncerError {
  return new SyncerError('config', `the remote "${name}" was deleted by another program`);
}

function taken(name: string): SyncerError {
  const text = `a remote "${name}" was created by another program: choose another name`;
  return new SyncerError('config', text);
}

/** The line that turns guards on, as a sentence, for the first remote of a configuration; `''` if that is decided. */
async function offerGuards(
  path: string | undefined,
  sections: ReturnType<typeof iniSections>,
  { argv, env }: Program & Environment,
): Promise<string> {
  if (path === undefined || sections.size !== 1 || env['SYNCER_GUARD'] !== undefined) return '';
  const { presets = [] } = (await readFlagPresets(argv, env)) ?? {};
  if (presets.some(({ name }) => name === 'guard')) return '';
  const file = join(dirname(path), 'defaults.conf');
  return `To stop a sync that would delete too much, write "guard = on" below [default] in ${file}.`;
}

/** The configuration that the wizard writes. */
export interface WizardFile {
  readonly file: ConfigFile;
  /** What the file held before its last change; `undefined`: that is not kept. */
  former(): Promise<readonly IniLine[] | undefined>;
  /** The password that decrypts it from now on. */
  adoptPassword(password: string): void;
}

/** Opens the configuration of this run for the wizard. */
export function openWizardFile(
  invocation: CommandCall & Environment & Asking & UnderConsent,
): WizardFile {
  const { flags, env, ask, consent, context } = invocation;
  let own: string | undefined;
  const first = passwordSource(flags['password-command'], env, ask);
  const path = configPath(flags.config, env);
  // A missing configuration is normal when one is created.
  const emit = () => {};
  const password: PasswordSource = async (rejected) =>
    own === undefined || own === rejected ? first(rejected) : own;
  const file = openConfigFile(path, emit, password, context.signal, { keepsFormer: true });
  return {
    // The wizard's confirmation replaces the question of `--interactive`.
    file: consent.how === 'pretend' ? consentedFile(file, invocation) : file,
    async former() {
      const kept = path && formerPath(await followLinks(path));
      const found = kept && (await stat(kept).catch(() => undefined));
      if (!found) return undefined;
      const isEncrypted = (await file.key()) !== undefined;
      // Only with the password of the file: nothing is asked for on a screen.
      const same: PasswordSource = async (rejected) => {
        if (rejected === undefined && isEncrypted) return password(undefined);
        throw new SyncerError('config-password', `"${kept}" has another password`);
      };
      const older = openConfigFile(kept, emit, same, context.signal);
      return older.read().catch(() => undefined);
    },
    adoptPassword: (password) => {
      own = password;
    },
  };
}
