import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openConfigWizard } from '../../components/open.ts';
import { OWN_TYPES } from '../../src/backends/index.ts';
import { tellingExposure } from '../../src/config/config-exposure.ts';
import { type ConfigKey, keptIn, openUserConfig } from '../../src/config/config-file.ts';
import { rcloneConfigPath } from '../../src/config/config-path.ts';
import { newRemote } from '../../src/config/dialogue/remote-script.ts';
import type { Script, WizardWorld } from '../../src/config/dialogue/step.ts';
import { keyOfPassword } from '../../src/config/encrypted-config.ts';
import { type ImportedRemote, SKIPPED } from '../../src/config/import-remotes.ts';
import { iniSections } from '../../src/config/ini-lines.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { once } from '../../src/core/once.ts';
import { counted } from '../../src/core/shown-text.ts';
import { hasScreenTerminal, screenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import {
  askedKinds,
  type ConfigJob,
  type ConfigNeeds,
  consentedFile,
  notice,
  type RunConfig,
} from './config-job.ts';
import * as edit from './edit-config.ts';
import { isImported, lefts, readForeign, takeOver } from './foreign-config.ts';
import * as login from './reconnect.ts';
import * as show from './show-config.ts';
import { wizardWorks } from './wizard/wizard-works.ts';

const SUBCOMMANDS: ReadonlyMap<string, RunConfig> = new Map<string, RunConfig>([
  ['create', edit.create],
  ['update', edit.update],
  ['new', (job) => job.converse(newRemote)],
  ['edit', edit.editRemote],
  ['delete', edit.remove],
  ['rename', edit.rename],
  ['unset', edit.unset],
  ['password', edit.setPasswords],
  ['touch', async ({ file }) => void (await file.update((lines) => lines))],
  ['show', show.show],
  ['redacted', show.redacted],
  ['string', show.showString],
  [
    'dump',
    async ({ file, invocation: { out } }) =>
      out.write(show.dumpConfig(iniSections(await file.read()))),
  ],
  ['file', show.showLocation],
  ['paths', show.showPaths],
  ['providers', show.showProviders],
  ['reconnect', login.reconnect],
  ['disconnect', login.disconnect],
  ['userinfo', login.userInfo],
  ['import', importConfig],
  ['encryption', encryption],
]);

/** `syncer config` and its subcommands, described in `command.ts`. */
export async function configCommand(invocation: ConfigNeeds): Promise<void> {
  const [name, ...args] = invocation.args;
  if (name === undefined) return runWizard(invocation);
  const runSubcommand = SUBCOMMANDS.get(name);
  if (runSubcommand === undefined) {
    const names = [...SUBCOMMANDS.keys()].join(', ');
    throw new SyncerError('usage', `give a subcommand: config ${names}`);
  }
  const { flags, env, ask } = invocation;
  const { emit, signal } = invocation.context;
  const opened = openUserConfig(flags, env, emit, ask, signal);
  const file = consentedFile(tellingExposure(opened, emit, 'notice'), invocation);
  const works = wizardWorks(invocation, file);
  const converse = (script: (world: WizardWorld) => Script) => runWizard(invocation, script);
  const kinds = once(() => askedKinds(invocation));
  const isTerminal = hasScreenTerminal();
  await runSubcommand({ file, args, invocation, works, converse, kinds, isTerminal });
}

/** The wizard: screens on a terminal, lines of text elsewhere. */
async function runWizard(
  invocation: ConfigNeeds,
  script?: (world: WizardWorld) => Script,
): Promise<void> {
  const { openWizard, runWizardAsText } = await import('./wizard/open-wizard.ts');
  const last = new Set<string>();
  const parts = openWizard(invocation, script, (text) => void last.add(text));
  const terminal = hasScreenTerminal() ? screenTerminal(invocation) : undefined;
  if (terminal === undefined || terminal.look.plain) await runWizardAsText(parts, invocation);
  else {
    const said = await openConfigWizard(parts, terminal);
    if (said !== '') await invocation.out.write(`${said}\n`);
  }
  for (const text of last) await invocation.out.write(`${text}\n`);
}

/** `syncer config encryption` */
async function encryption(job: ConfigJob): Promise<void> {
  const [action] = job.args;
  const setKey = async (key: ConfigKey) => {
    await job.file.update(
      (lines) => lines,
      () => key,
    );
  };
  switch (action) {
    case 'set':
      // The password that it has is asked for before the new one.
      await job.file.read();
      return setKey(keyOfPassword(await newPassword(job)));
    case 'remove':
      return setKey(undefined);
    case 'check':
      if ((await job.file.key()) !== undefined) return;
      throw new SyncerError('command-line', 'the config file is not encrypted');
    default:
      throw new SyncerError(
        'command-line',
        `unknown action "${action}": use config encryption set, remove or check`,
      );
  }
}

async function newPassword({ invocation: { env, ask } }: ConfigJob): Promise<string> {
  const variable = 'SYNCER_NEW_CONFIG_PASS';
  const given = env[variable];
  const password = given ?? (await ask?.('Enter NEW configuration password:'));
  if (password === undefined) {
    const text = `no terminal to ask on: set ${variable} to the new password`;
    throw new SyncerError('config', text);
  }
  const again = given ?? (await ask?.('Confirm NEW configuration password:'));
  if (again !== password) {
    throw new SyncerError('usage', 'the two passwords differ: nothing was changed');
  }
  if (password.trim() === '') throw new SyncerError('usage', 'the new password is empty');
  return password;
}

/** `syncer config import` */
async function importConfig(job: ConfigJob): Promise<void> {
  const { flags, out, context, ask } = job.invocation;
  const [given] = job.args;
  const path = given === undefined ? await rcloneConfigPath(job.invocation.env) : resolve(given);
  if (path === undefined) {
    throw new SyncerError('config', 'no rclone configuration found: give its path');
  }
  await access(path).catch(({ code }) => {
    if (code === 'ENOENT') throw new SyncerError('config', `file not found: "${path}"`);
  });
  if (path === job.file.path) {
    throw new SyncerError('usage', `"${path}" is syncer's own configuration file`);
  }
  const foreign = await readForeign(path, job.invocation, ask, context.emit);
  const { remotes, isWritten, isExposed } = await takeOver(job.file, foreign, flags.force);
  if (isExposed) {
    const text = "but syncer's configuration file is not: see config encryption";
    notice(job, `"${path}" is encrypted, ${text}`);
  }
  const lines = remotes.map(({ name, type, outcome }) => {
    const why = SKIPPED[outcome];
    const done = isWritten ? outcome : `would be ${outcome}`;
    const left = `skipped: ${why}${outcome === 'exists' ? ' (--force replaces it)' : ''}`;
    return `${name}: ${type === '' ? '' : `(${type}) `}${why === undefined ? done : left}\n`;
  });
  await out.write(lines.join(''));
  const { left, said } = await lefts(remotes, foreign.sections, job.invocation);
  notice(job, summary(remotes, left, isWritten));
  for (const text of said) notice(job, text);
  const { path: own } = job.file;
  const isReplaced = remotes.some(({ outcome }) => outcome === 'replaced');
  if (isReplaced && isWritten && own !== undefined) notice(job, keptIn(own));
}

/** How many remotes were imported and skipped, what to do about the skipped ones, and which need rclone. */
function summary(
  remotes: readonly ImportedRemote[],
  left: readonly string[],
  isWritten: boolean,
): string {
  const done = remotes.filter(isImported);
  const equal = remotes.filter(({ outcome }) => outcome === 'unchanged').length;
  const skipped = remotes.length - done.length - equal;
  const isOther = ({ name, type }: ImportedRemote) => !OWN_TYPES.has(type) || left.includes(name);
  const others = done.filter(isOther).map(({ name }) => name);
  return [
    `${counted(done.length, 'remote')} ${isWritten ? '' : 'would be '}imported`,
    ...(equal > 0 ? [`, ${equal} were there already`] : []),
    ...(skipped > 0
      ? [`, ${skipped} skipped: change what is wrong with each, and import again`]
      : []),
    ...(others.length > 0 ? [`; opened through an installed rclone: ${others.join(', ')}`] : []),
  ].join('');
}
