import { openConfigWizard } from '../../components/open.ts';
import { tellingExposure } from '../../src/config/config-exposure.ts';
import type { Script } from '../../src/config/dialogue/step.ts';
import type { WizardParts, WizardWorld } from '../../src/config/dialogue/wizard-parts.ts';
import { openUserConfig } from '../../src/config/user-config.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { once } from '../../src/core/used-again.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { hasScreenTerminal, screenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import type { CONFIG_FLAGS } from './command.ts';
import { approvedFile, type RunConfig } from './config-job.ts';
import * as edit from './edit-config.ts';
import { encryption } from './encryption.ts';
import { importConfig } from './import-config.ts';
import * as login from './reconnect.ts';
import { askedKinds } from './remote-kinds.ts';
import * as show from './show-config.ts';
import { wizardWorks } from './wizard/wizard-works.ts';

const SUBCOMMANDS: ReadonlyMap<string, RunConfig> = new Map([
  ['create', edit.create],
  ['update', edit.update],
  ['new', edit.createInWizard],
  ['edit', edit.editRemote],
  ['delete', edit.remove],
  ['rename', edit.rename],
  ['unset', edit.unset],
  ['password', edit.setPasswords],
  ['touch', edit.touch],
  ['show', show.show],
  ['redacted', show.redacted],
  ['string', show.showString],
  ['dump', show.dump],
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
export async function configCommand(invocation: Invocation<typeof CONFIG_FLAGS>): Promise<void> {
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
  const file = approvedFile(tellingExposure(opened, emit, 'notice'), invocation);
  const works = wizardWorks(invocation, file);
  const converse = (script: (world: WizardWorld) => Script) => runWizard(invocation, script);
  const kinds = once(() => askedKinds(invocation));
  const isTerminal = hasScreenTerminal();
  await runSubcommand({ file, args, invocation, works, converse, kinds, isTerminal });
}

/** The wizard: screens on a terminal, lines of text elsewhere. */
async function runWizard(
  invocation: Invocation<typeof CONFIG_FLAGS>,
  script?: (world: WizardWorld) => Script,
): Promise<void> {
  const { openWizard } = await import('./wizard/open-wizard.ts');
  const last = new Set<string>();
  const parts = openWizard(invocation, script, (text) => void last.add(text));
  await openParts(invocation, parts);
  for (const text of last) await invocation.out.write(`${text}\n`);
}

async function openParts(
  invocation: Invocation<typeof CONFIG_FLAGS>,
  parts: WizardParts,
): Promise<void> {
  const terminal = hasScreenTerminal() ? screenTerminal(invocation) : undefined;
  if (terminal === undefined || terminal.look.plain) {
    const { runWizardAsText } = await import('./wizard/run-text-wizard.ts');
    return runWizardAsText(parts, invocation);
  }
  const said = await openConfigWizard(parts, terminal);
  if (said !== '') await invocation.out.write(`${said}\n`);
}
