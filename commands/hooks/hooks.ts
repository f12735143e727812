import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { openHooksScreen } from '../../components/open.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { harmless } from '../../src/core/shown-text.ts';
import type {
  CommandCall,
  Environment,
  Showing,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { hasScreenTerminal, screenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import type { Output } from '../../src/shell/output/output.ts';
import { controlPaths } from '../../src/webhook/control/answer-control.ts';
import { ControlClient, type RunDetails } from '../../src/webhook/control/control-client.ts';
import { requestLines } from '../../src/webhook/log/shown-request.ts';
import { detailLines, hookLines, runLines, whyText } from '../../src/webhook/report/run-lines.ts';
import { isOver, type RunRecord } from '../../src/webhook/run/run-ledger.ts';
import type { HOOKS_FLAGS } from './command.ts';

const SUBCOMMANDS: ReadonlyMap<string, (action: HookAction) => Promise<void>> = new Map([
  [
    'list',
    async ({ client, json, invocation: { out } }) => {
      const hooks = await client.hooks();
      await out.write(json ? asJson(hooks) : asText(hookLines(hooks)));
    },
  ],
  ['history', history],
  ['show', show],
  // Prints its output until it ends; rejects if the run fails.
  ['follow', async (action) => followRun(action, runOf(action))],
  [
    'rerun',
    async (action) => {
      const { client, json, invocation } = action;
      const { id } = await client.rerun(runOf(action));
      if (!json) return await followRun(action, id);
      await invocation.out.write(asJson((await client.run(id)) satisfies RunDetails));
    },
  ],
]);

/** `syncer hooks`: the screen on a terminal, lines elsewhere, and the subcommands for scripts. */
export async function hooksCommand(
  invocation: CommandCall<typeof HOOKS_FLAGS> & Environment & StandardOutput & Showing,
): Promise<void> {
  const { args, flags, env } = invocation;
  const [name, operand] = args;
  const action = SUBCOMMANDS.get(name ?? 'list');
  if (action === undefined) {
    const names = [...SUBCOMMANDS.keys()].join(', ');
    throw new SyncerError('usage', `unknown subcommand "${name}" of hooks: use ${names}`);
  }
  const json = flags['hooks-json'];
  const client = await openControl(flags.control, env);
  try {
    const isScreen = name === undefined && !json && !flags['hooks-plain'] && hasScreenTerminal();
    if (!isScreen) return await action({ client, operand, json, invocation });
    const terminal = screenTerminal(invocation, 'see "syncer hooks list"');
    const nowMs = () => invocation.context.clock.now();
    const showLog = invocation.holdLog();
    try {
      await openHooksScreen(client, nowMs, terminal);
    } finally {
      showLog();
    }
  } finally {
    client.close();
  }
}

/** The context of a subcommand of `syncer hooks`. */
interface HookAction {
  readonly client: ControlClient;
  /** The word after the subcommand. */
  readonly operand: string | undefined;
  readonly json: boolean;
  readonly invocation: CommandCall & StandardOutput;
}

async function history(action: HookAction): Promise<void> {
  const { client, json, operand } = action;
  const { out, context } = action.invocation;
  const runs = await client.history();
  const shown = operand === undefined ? runs : runs.filter(({ hook }) => hook === operand);
  await out.write(json ? asJson(shown) : asText(runLines(shown, context.clock.now())));
}

async function show(action: HookAction): Promise<void> {
  const { client, json, invocation } = action;
  const { out, context } = invocation;
  const details = await client.run(runOf(action));
  const output = Buffer.from(details.output, 'base64');
  if (json) {
    await out.write(asJson({ ...details, output: output.toString() }));
    return;
  }
  await out.write(asText(detailLines(details, context.clock.now())));
  const request = requestLines(details.request).map((line) => `  ${harmless(line)}`.trimEnd());
  await out.write(asText(['headers and body', ...request]));
  if (output.length === 0) return;
  await out.write('\n');
  await outputWriter(out)(output);
}

async function followRun({ client, invocation }: HookAction, run: string): Promise<void> {
  const { out, context } = invocation;
  const { promise: over, resolve, reject } = Promise.withResolvers<RunRecord>();
  const write = outputWriter(out);
  let written: Promise<unknown> = Promise.resolve();
  const stop = client.on((event) => {
    if (event.event === 'output' && event.run === run) {
      const bytes = Buffer.from(event.data, 'base64');
      written = written.then(() => write(bytes));
    }
    if (event.event === 'end' && event.run.id === run) resolve(event.run);
  });
  const aborted = () => reject(context.signal.reason);
  context.signal.addEventListener('abort', aborted);
  const gone = () => reject(new SyncerError('no-answer', 'the hook server stopped'));
  void client.closed.then(gone);
  try {
    await client.follow(run);
    const record = await over;
    await written;
    if (record.state === 'done' || !isOver(record.state)) return;
    const why = whyText(record);
    throw new SyncerError('other', `run ${run} ${record.state}${why === '' ? '' : `: ${why}`}`);
  } finally {
    context.signal.removeEventListener('abort', aborted);
    stop();
  }
}

/** Prints output of a command: on a terminal as harmless text, elsewhere byte for byte. */
function outputWriter(out: Output): (bytes: Uint8Array) => Promise<void> {
  if (!out.isTerminal) return (bytes) => out.write(bytes);
  const decoder = new TextDecoder();
  return (bytes) => {
    const text = stripVTControlCharacters(decoder.decode(bytes, { stream: true }));
    return out.write(text.replaceAll('\r\n', '\n'));
  };
}

function runOf({ operand }: HookAction): string {
  if (operand !== undefined) return operand;
  throw new SyncerError('usage', 'give a run; "syncer hooks history" lists them');
}

const asJson = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
const asText = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

/**
 * Connects to the hook server with the control socket `path`, or at the default paths. Rejects with `SyncerError` if
 * there is none.
 */
async function openControl(
  path: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ControlClient> {
  if (path !== undefined) return await ControlClient.open(path);
  const places = controlPaths(env);
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return await ControlClient.open(found);
  const text = `no hook server found at ${places.join(' or ')}; start one with webhook -control auto, or give its socket with --control`;
  throw new SyncerError('no-answer', text);
}
