import { SyncerError } from '../../src/core/errors.ts';
import { nameToBytes } from '../../src/core/name-bytes.ts';
import { timerMs } from '../../src/core/timer-ms.ts';
import { takeProgress } from '../../src/run/presence/progress-data.ts';
import type { RunStatus } from '../../src/run/presence/run-protocol.ts';
import { statisticsSettings } from '../../src/run/progress/run-statistics.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { canAsk } from '../../src/shell/interactive/ask-aside.ts';
import { hasScreenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import { formatTextRecord } from '../../src/shell/log/format-record.ts';
import { logPrefix, readLogFormat } from '../../src/shell/log/log-layout.ts';
import { progressOneLine } from '../../src/shell/progress/progress-lines.ts';
import { startProgress } from '../../src/shell/progress/progress-state.ts';
import type { RunEntry } from '../../src/state/runs.ts';
import { isPlainTerminal } from '../../src/system/plain-terminal.ts';
import type { AttachedDisplay, AttachedRun } from './attached-view.ts';
import { chooseRun, openRun } from './find-run.ts';

/** Watches a running run until it ends or the user leaves. Rejects if it ended with an error. */
export async function attach(invocation: Invocation): Promise<void> {
  const { args, env, flags, context } = invocation;
  const choose = canAsk() ? (runs: readonly RunEntry[]) => chooseRun(invocation, runs) : undefined;
  const run = await openRun(args[0], invocation, choose);
  const { client } = run;
  const settings = statisticsSettings(flags, new Set(), true, false);
  const state = startProgress(context.clock.monotonic());
  let exit: number | undefined;
  let display: AttachedDisplay | undefined;
  let last: RunStatus;
  const take = (status: RunStatus) => {
    last = status;
    takeProgress(state, status.progress, context.clock.monotonic() - status.nowMs);
  };
  const text = attachedText(invocation);
  client.on((event) => {
    if (event.event === 'state') take(event.state);
    else if (event.event === 'log') display?.log(text(event.line));
    else if (event.event === 'wait') display?.wait(event.wait);
    else if (event.event === 'end') exit = event.exit;
  });
  try {
    take(await client.status({ ask: 'watch' }));
    const attached: AttachedRun = { run, state, status: () => last, take, style: settings.style };
    const onTerminal = hasScreenTerminal() && !isPlainTerminal(env);
    display = onTerminal
      ? (await import('./attached-view.ts')).openAttachedView(invocation, attached)
      : attachedLines(invocation, attached, settings.intervalMs);
    const aborted = Promise.withResolvers<void>();
    context.signal.addEventListener('abort', () => aborted.resolve(), { once: true });
    if (context.signal.aborted) aborted.resolve();
    const end = await Promise.race([
      client.closed.then(() => 'ended' as const),
      display.left.then(() => 'left' as const),
      aborted.promise.then(() => 'left' as const),
    ]);
    if (end === 'ended') attached.state.hasEnded = true;
    await display.finish(end === 'ended' ? exit : undefined);
    context.signal.throwIfAborted();
    if (end === 'left') return;
    if (exit === undefined) {
      throw new SyncerError(
        'no-answer',
        `${run.title} ended without a result: it crashed or was killed`,
      );
    }
    if (exit !== 0) throw new SyncerError('other', `${run.title} ended with exit code ${exit}`);
  } finally {
    client.close();
  }
}

/** Lines for pipes: the log, and statistics in one line from time to time. */
function attachedLines(
  { out, context }: Invocation,
  { state, style, run }: AttachedRun,
  intervalMs: number,
): AttachedDisplay {
  const { write, written } = plainLines({ out });
  const tell = () => write(`${progressOneLine(state, context.clock.monotonic(), style)}\n`);
  tell();
  const timer = intervalMs > 0 ? setInterval(tell, timerMs(intervalMs)) : undefined;
  return {
    log: write,
    wait: () => {},
    left: new Promise(() => {}),
    async finish(exit) {
      clearInterval(timer);
      tell();
      if (exit === 0) write(`${run.title} is done\n`);
      await written();
    },
  };
}

/** Lines of an attached run as its log has them, with the time of this process. */
export function attachedText({
  flags,
  context,
}: Pick<Invocation, 'flags' | 'context'>): (
  line: Omit<Parameters<typeof formatTextRecord>[0], 'timeMs'>,
) => string {
  const format = readLogFormat(flags['log-format']);
  const prefix = logPrefix({ format, systemd: false, pid: process.pid });
  return (line) => formatTextRecord({ ...line, timeMs: context.clock.now() }, [], prefix);
}

/** Writes lines for pipes, one after the other; `written` resolves when all are. */
export function plainLines({ out }: Pick<Invocation, 'out'>) {
  let last: Promise<unknown> = Promise.resolve();
  return {
    write(text: string): void {
      last = last.then(() => out.write(nameToBytes(text)));
    },
    async written(): Promise<void> {
      await last;
    },
  };
}
