import { machine } from 'node:os';
import type { Readable } from 'node:stream';
import { loadMenuText } from '../components/open.ts';
import { SyncerError, toSyncerError } from '../src/core/errors.ts';
import { harmlessLine } from '../src/core/shown-text.ts';
import { ignoresHangUp } from '../src/shell/process/signals.ts';
import { standardInput } from '../src/shell/process/standard-input.ts';
import { VERSION } from '../src/shell/version.ts';
import { withoutSequences } from '../src/terminal/keys-of-input.ts';
import { applyPlan, type InstallerIo, prepare } from './plan/prepare.ts';
import {
  FLAGS,
  type FlagTexts,
  type InstallerCommandLine,
  type InstallerFlag,
  type InstallerOptions,
  parseCommandLine,
  readOptions,
} from './read-options.ts';
import { textView } from './show/text-view.ts';

/** Runs `webhook-installer`; resolves to its exit code. */
export async function runInstaller(io: InstallerIo): Promise<number> {
  try {
    return await run(io, parseCommandLine(io.argv));
  } catch (thrown) {
    const { message, exit } = toSyncerError(thrown);
    io.stderr.write(`webhook-installer: ${harmlessLine(message)}\n`);
    return exit;
  }
}

async function run(io: InstallerIo, { action, flags }: InstallerCommandLine): Promise<number> {
  if (action === 'help' || action === 'version') {
    io.stdout.write(action === 'help' ? helpText() : `webhook-installer ${VERSION}\n`);
    return 0;
  }
  if (process.platform !== 'linux') {
    throw new SyncerError('unsupported', 'services are installed on Linux only');
  }
  const options = readOptions(flags, { cwd: io.cwd, machine: machine() });
  if (action !== 'menu') return carryOut(action, options, flags, io, false);
  const { stdin, stdout, env } = io;
  if (stdin.isTTY === true && stdout.isTTY === true && env['TERM'] !== 'dumb') {
    const { runMenuScreen } = await import('./show/menu-screen.ts');
    const hasMouse = flags['no-mouse'] === undefined;
    return runMenuScreen(options, flags['dry-run'] !== undefined, io, hasMouse);
  }
  const { MENU_TEXT, menuChoice } = await loadMenuText();
  stdout.write(MENU_TEXT);
  const line = await readLine(stdin, io.signal);
  stdout.write('\n');
  // A choice through a pipe is the confirmation.
  return carryOut(menuChoice(line), options, flags, io, stdin.isTTY !== true);
}

async function carryOut(
  deed: Parameters<typeof prepare>[0],
  options: InstallerOptions,
  flags: FlagTexts,
  io: InstallerIo,
  isAgreed: boolean,
): Promise<number> {
  const prepared = await prepare(deed, options, io);
  if (prepared.outcome !== 'ready') {
    const { code, lines } = prepared;
    const said = lines.map((line) => `${harmlessLine(line)}\n`);
    if (code !== 0) io.stderr.write(said.pop() ?? '');
    io.stdout.write(said.join(''));
    return code;
  }
  const { title, plan } = prepared;
  io.stdout.write(`${title}:\n`);
  for (const [i, step] of plan.steps.entries())
    io.stdout.write(`  ${i + 1}. ${harmlessLine(step.text)}\n`);
  for (const note of plan.notes) io.stdout.write(`${harmlessLine(note)}\n`);
  if (flags['dry-run'] !== undefined) {
    io.stdout.write('Nothing was changed: this was a dry run.\n');
    return 0;
  }
  const asks = !isAgreed && flags.yes === undefined;
  if (asks) {
    if (io.stdin.isTTY !== true) {
      throw new SyncerError('usage', 'confirmation required: add --yes to run without asking');
    }
    io.stdout.write(`${title}? [y/N] `);
    const answer = withoutSequences(await readLine(io.stdin, io.signal)).trim();
    if (!/^y(es)?$/i.test(answer)) {
      io.stdout.write('Nothing was changed.\n');
      return 1;
    }
  }
  await applyPlan(prepared, io, textView(io.stdout), asks);
  for (const line of prepared.closing) io.stdout.write(`${harmlessLine(line)}\n`);
  return 0;
}

/** The next line of a stream, without its end; what follows it is left alone. Empty at the end of the stream. */
async function readLine(input: Readable, signal: AbortSignal): Promise<string> {
  let text = '';
  const onAbort = () => input.destroy(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    // The next question reads on.
    const chunks: AsyncIterable<Buffer | string> = input.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      text += chunk.toString();
      // Longer lines are no answers.
      if (text.includes('\n') || text.length > 4096) break;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  signal.throwIfAborted();
  return text.split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
}

const INTRODUCTION = `webhook-installer installs and uninstalls the hook server webhook as a systemd service: the
release 2.8.0 of adnanh/webhook, or with --program another one, such as syncer's.

Usage:
  webhook-installer                    a menu: 1 installs, 2 uninstalls
  webhook-installer install [flags]    install and start it
  webhook-installer uninstall [flags]  stop it and delete all installed files
  webhook-installer upgrade [flags]    replace it with another release; hooks and units stay
  webhook-installer version            the version of this program

Flags:
`;

/** What `webhook-installer --help` prints. */
export function helpText(): string {
  const names = FLAGS.map((flag) => `  ${flagName(flag)}`);
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const lines = FLAGS.map((flag, i) => `${(names[i] ?? '').padEnd(width)}${flag.help}\n`);
  return `${INTRODUCTION}${lines.join('')}`;
}

/** A flag as help and manual page name it. */
export function flagName({ name, short, value }: InstallerFlag): string {
  const before = short === undefined ? '    ' : `-${short}, `;
  return `${before}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/** What asks the installer to end. */
const SIGNALS = [
  ['SIGINT', 'interrupted', 'interrupted by Ctrl-C'],
  ['SIGTERM', 'terminated', 'terminated by a signal'],
  ['SIGHUP', 'terminated', 'the terminal was closed'],
  ['SIGQUIT', 'terminated', 'terminated by a signal'],
] as const;

/** Runs the installer with the streams and signals of the process; resolves to the exit code. */
export async function startInstaller(process: NodeJS.Process): Promise<number> {
  const { argv, env, stdout, stderr } = process;
  // A closed output is no reason to stop half-way.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  // The installer then undoes what it did, and further signals must not keep it from that: they are passed over.
  const controller = new AbortController();
  const isHangUpIgnored = ignoresHangUp();
  for (const [name, code, why] of SIGNALS) {
    process.on(name, () => {
      // Started by nohup it passes over hangups as well.
      if (name !== 'SIGHUP' || !isHangUpIgnored) controller.abort(new SyncerError(code, why));
    });
  }
  // The first would open Node's debugger, the second end it half-way.
  for (const name of ['SIGUSR1', 'SIGUSR2'] as const) process.on(name, () => {});
  let stdin: InstallerIo['stdin'] | undefined;
  return runInstaller({
    argv: argv.slice(2),
    env,
    cwd: process.cwd(),
    get stdin() {
      stdin ??= standardInput(process);
      return stdin;
    },
    stdout,
    stderr,
    signal: controller.signal,
  });
}
