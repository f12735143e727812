import { BACKENDS, OWN_BACKENDS, OWN_TYPES } from '../../src/backends/index.ts';
import { type RunOfRclone, rcloneToAsk } from '../../src/backends/rclone/index.ts';
import { providersIfAny, UNASKED_PROVIDERS } from '../../src/backends/rclone/providers.ts';
import { ALIAS_KIND } from '../../src/config/alias-target.ts';
import type { ConfigFile } from '../../src/config/config-file.ts';
import type { WizardKind } from '../../src/config/dialogue/draft.ts';
import type { Script, WizardWorks, WizardWorld } from '../../src/config/dialogue/step.ts';
import type { ConfigSections } from '../../src/config/ini-lines.ts';
import { type KnownNames, kindOf } from '../../src/config/option-sources.ts';
import { unknownRemote, unknownType } from '../../src/config/remote-faults.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Consenting } from '../../src/engine/consent.ts';
import type {
  Asking,
  CommandCall,
  Environment,
  Program,
  Remotes,
  StandardInput,
  StandardOutput,
  UnderConsent,
} from '../../src/shell/command-line/command.ts';
import { nearestName } from '../../src/shell/command-line/nearest-name.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import type { CONFIG_FLAGS } from './command.ts';

/** What `config` needs. */
export type ConfigNeeds = CommandCall<typeof CONFIG_FLAGS> &
  Program &
  Environment &
  Remotes &
  StandardOutput &
  StandardInput &
  Asking &
  UnderConsent;

/** The arguments of a subcommand of `config`. */
export interface ConfigJob {
  readonly file: ConfigFile;
  /** Those after the subcommand's name. */
  readonly args: readonly string[];
  readonly invocation: ConfigNeeds;
  /** Slow operations of a dialogue: logging in, requests to the remote. */
  readonly works: WizardWorks;
  /** Holds one dialogue of the wizard with the user, and carries out its result. */
  readonly converse: (script: (world: WizardWorld) => Script) => Promise<void>;
  /** All types of remotes with their options; rclone is asked for its own at the first call. */
  readonly kinds: () => Promise<readonly WizardKind[]>;
  /** Questions can be asked on a terminal. */
  readonly isTerminal: boolean;
}

/** Runs a subcommand of `config`. */
export type RunConfig = (job: ConfigJob) => Promise<void>;

/** The type of remote named `type`, with its options. Rejects with `command-line` if there is none. */
export async function kindOfRemote(job: ConfigJob, name: string, type: string) {
  const kind = await kindWithOptions(type, job.kinds);
  if (kind === undefined) throw wrongName(unknownType(name, type, knownNames(job, new Map())));
  return kind;
}

/** The type of a stored remote. An unknown type has only `passwords` as options, so that it can be edited. */
export async function kindOfStored(
  job: ConfigJob,
  type: string,
  passwords: Iterable<string> = [],
): Promise<WizardKind> {
  const options = [...passwords].map((name) => ({
    name,
    type: 'string' as const,
    help: '',
    obscured: true,
  }));
  return (await kindWithOptions(type, job.kinds)) ?? { type, summary: '', options };
}

/** The values of a remote. Throws `command-line` if there is none of that name. */
export function sectionOf(job: ConfigJob, config: ConfigSections, name: string) {
  const values = config.get(name);
  if (values === undefined) throw wrongName(unknownRemote(name, knownNames(job, config)));
  return values;
}

/** In `config`, a name that does not exist is wrong usage, with its exit code. */
export function wrongName({ message }: SyncerError): SyncerError {
  return new SyncerError('command-line', message);
}

/** The name of a remote as it is typed: `name:` means `name`. */
export const plainName = (name: string): string => name.replace(/:+$/, '');

/** Logs a notice. */
export function notice({ invocation }: ConfigJob, message: string): void {
  invocation.context.emit(logText('notice', message));
}

/** Logs what the user must do for a login: a link, which ends where its line ends, or a picture of one. */
export function tellOfLogin({ invocation }: Pick<ConfigJob, 'invocation'>, text: string): void {
  const fields = { text, lines: true };
  invocation.context.emit({ type: 'log', level: 'notice', code: 'message', fields });
}

function knownNames({ file, invocation }: ConfigJob, config: ConfigSections): KnownNames {
  const { env } = invocation;
  return { config, configPath: file.path, env, backends: BACKENDS, nearest: nearestName };
}

/** The configuration with a consent to each change: `--dry-run` changes nothing in it, `--interactive` asks. */
export function consentedFile(file: ConfigFile, run: Consenting): ConfigFile {
  if (run.consent.how === 'all') return file;
  return {
    ...file,
    async update(change, rekey, keeps) {
      const about = file.path ?? 'the configuration in memory';
      const wanted = change(await file.read());
      const words = 'update of the configuration';
      const { mayChange } = await import('../../src/engine/consent.ts');
      const may = await mayChange(run, { do: 'other', words, about });
      return may ? file.update(change, rekey, keeps) : wanted;
    },
  };
}

/** The types that syncer opens itself, and aliases, in the order of the wizard's numbers. */
const OWN_KINDS: readonly WizardKind[] = [...OWN_BACKENDS, ALIAS_KIND];

/** All types of remotes, including aliases; of those that rclone opens only the passwords are known. */
export const REMOTE_KINDS: readonly WizardKind[] = [...OWN_KINDS, ...UNASKED_PROVIDERS];

/** The same with all options of rclone's types, if an rclone is installed. */
export async function askedKinds(invocation: RunOfRclone) {
  return [...OWN_KINDS, ...(await providersIfAny(rcloneToAsk(invocation), OWN_TYPES))];
}

/** A type with all its options; rclone is asked only about one of its own. `undefined` for an unknown type. */
export async function kindWithOptions(type: string, asked: () => Promise<readonly WizardKind[]>) {
  return kindOf(type, OWN_KINDS) ?? kindOf(type, await asked());
}
