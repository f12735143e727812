import { openHooksScreen } from '../../components/open.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Command, Invocation } from '../../src/shell/command-line/command.ts';
import { hasScreenTerminal, screenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import type { HOOKS_FLAGS } from './command.ts';
import * as actions from './hook-actions.ts';
import { openControl } from './hook-actions.ts';

const SUBCOMMANDS: ReadonlyMap<string, (action: actions.HookAction) => Promise<void>> = new Map([
  ['list', actions.list],
  ['history', actions.history],
  ['show', actions.show],
  ['follow', actions.follow],
  ['rerun', actions.rerun],
]);

/** `syncer hooks`: the screen on a terminal, lines elsewhere, and the subcommands for scripts. */
export const hooksCommand: Command<typeof HOOKS_FLAGS> = async (invocation) => {
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
    if (isScreen) await showScreen(invocation, client);
    else await action({ client, operand, json, invocation });
  } finally {
    client.close();
  }
};

async function showScreen(
  invocation: Invocation<typeof HOOKS_FLAGS>,
  client: Awaited<ReturnType<typeof openControl>>,
): Promise<void> {
  const terminal = screenTerminal(invocation, 'see "syncer hooks list"');
  const nowMs = () => invocation.context.clock.now();
  const showLog = invocation.holdLog();
  try {
    await openHooksScreen(client, nowMs, terminal);
  } finally {
    showLog();
  }
}
