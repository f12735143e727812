import { openHomeScreen } from '../../components/open.ts';
import type { Remote } from '../../src/core/remote.ts';
import type { HomeMount, HomeWorks, ItemPlace } from '../../src/run/home-entry.ts';
import type { RunningSummary } from '../../src/run/presence/running-text.ts';
import type {
  Asking,
  CommandCall,
  Environment,
  Program,
  Remotes,
} from '../../src/shell/command-line/command.ts';
import { screenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import type { Database } from '../../src/state/database.ts';
import { afterAnswer, putPin } from '../../src/state/home.ts';
import { homeConfig, homeContents, keepHealth } from './home-contents.ts';
import { runOwnCommand } from './run-own-command.ts';

/** `syncer home`, and `syncer` alone on a terminal. */
export async function homeCommand(
  invocation: CommandCall & Program & Environment & Remotes & Asking,
): Promise<void> {
  const terminal = screenTerminal(invocation);
  const config = homeConfig(invocation);
  let from: ItemPlace | undefined;
  // What was seen last: the item from which a command came is there again at once.
  let mounts: readonly HomeMount[] = [];
  let running: readonly RunningSummary[] = [];
  for (;;) {
    const read = await homeContents(invocation, config);
    const contents = { ...read, mounts, running, ...(from && { from }) };
    const health = new Map(contents.health);
    const leaving = new AbortController();
    let pinned: Promise<void> = Promise.resolve();
    const works: HomeWorks = {
      async complete(words, typed) {
        const { completeWords } = await import('../complete/use.ts');
        return (await completeWords(words, typed, invocation)).map(({ text }) => text);
      },
      readUndo: async () => (await import('../history/use.ts')).readUndo(invocation),
      readChanges: async (id) =>
        (await import('../history/use.ts')).readChangeLines(invocation.env, id),
      async listMounts() {
        const { homeMount, listMounts } = await import('../mount/use.ts');
        mounts = (await listMounts(invocation.flags, invocation.env)).map(homeMount);
        return mounts;
      },
      async listRunning() {
        const summary = await import('../../src/run/presence/running-summary.ts');
        const { hooksInWords } = await import('../../src/webhook/control/control-client.ts');
        const runs = await summary.runningRuns(invocation, hooksInWords);
        running = await Promise.all(runs.map(summary.withTerminal));
        return running;
      },
      nowMs: () => invocation.context.clock.now(),
      pin(path, isPinned) {
        const nowMs = invocation.context.clock.now();
        const put = (database: Database) => putPin(database, path, isPinned, nowMs);
        pinned = pinned.then(() => invocation.stores.tryState('the pin is not kept', put));
      },
      test: async (name) => (await import('./ask-remote.ts')).testRemote(invocation, config, name),
      async askRemote(remote) {
        const { askRemote } = await import('./ask-remote.ts');
        const { scannedSize } = await import('../ncdu/use.ts');
        const sizeOf = (opened: Remote) => scannedSize(invocation, opened);
        const answer = await askRemote(invocation, config, remote, leaving.signal, sizeOf);
        const known = afterAnswer(health.get(remote.name), answer);
        health.set(remote.name, known);
        if (!leaving.signal.aborted) await keepHealth(invocation.stores, remote, known);
        return known;
      },
    };
    const command = await openHomeScreen(contents, works, terminal).finally(() => leaving.abort());
    await pinned;
    if (command === undefined) return;
    from = command.from;
    await runOwnCommand(command, invocation);
  }
}
