import type { Readable } from 'node:stream';
import type { AskPassword } from '../config/find-password.ts';
import type { Context } from '../core/context.ts';
import type { SyncerError } from '../core/errors.ts';
import type { Emit, SyncerEvent } from '../core/events.ts';
import { once } from '../core/used-again.ts';
import type { ChangeGuard } from '../engine/change-guard.ts';
import type { Filter } from '../filter/filter.ts';
import type { CommandLine, Invocation } from '../shell/command-line/command.ts';
import { passwordPrompt } from '../shell/interactive/password-prompt.ts';
import type { KnownSecrets } from '../shell/log/known-secrets.ts';
import { logText } from '../shell/log/log-text.ts';
import type { BufferedOutput } from '../shell/output/output.ts';
import type { ProgramIo } from '../shell/process/program-io.ts';
import type { LazyJournal } from './history/lazy-journal.ts';
import { createOpener } from './remotes/open-remote.ts';

/** What an invocation is made of. */
export interface InvocationParts
  extends Pick<
    Invocation,
    | 'runId'
    | 'commands'
    | 'bandwidth'
    | 'control'
    | 'stepAside'
    | 'overview'
    | 'holdLog'
    | 'holdClock'
    | 'changes'
    | 'stores'
  > {
  readonly line: CommandLine;
  /** The words of the command line without secrets. */
  readonly words: readonly string[];
  readonly context: Context;
  readonly io: Pick<ProgramIo, 'argv' | 'env' | 'stdin' | 'stderr' | 'signal'>;
  readonly out: BufferedOutput;
  /** Gets the secrets of the remotes that are opened. */
  readonly secrets: KnownSecrets;
  /** Notes the changes of the run. */
  readonly journal: LazyJournal | undefined;
  /** Ends the run: the answer `q` to `--interactive`. */
  readonly end: (reason: SyncerError) => void;
  /** See `Context.bandwidthLimit`. */
  readonly bandwidthLimit: Context['bandwidthLimit'];
  /** Called before anything reads standard input. */
  readonly beforeInput: () => void;
}

/** Everything a command gets; remotes and filter are created when it asks for them. */
export function createInvocation(parts: InvocationParts): Invocation {
  const { line, commands, context, io, out, bandwidth, control } = parts;
  const { stepAside, overview, holdLog, holdClock } = parts;
  const stdin = once(() => {
    parts.beforeInput();
    return endedBy(context.signal, io.stdin);
  });
  let holdsData = false;
  const input = () => {
    holdsData = true;
    return stdin();
  };
  const ask = line.flags['ask-password'] ? askPassword(parts) : undefined;
  let filter: Filter | undefined;
  const emit: Emit = (event) => {
    if (!isOfExcluded(event, filter)) context.emit(event);
  };
  const { bandwidthLimit } = parts;
  const ofRemotes = {
    ...context,
    emit,
    ...(bandwidthLimit === undefined ? {} : { bandwidthLimit }),
    ...(control === undefined ? {} : { transfersWanted: () => control.places.wanted }),
  };
  return {
    args: line.args,
    argv: io.argv,
    runId: parts.runId,
    shownWords: parts.words,
    flags: line.flags,
    beganMs: line.beganMs,
    typed: line.typed,
    commands,
    context,
    interruption: io.signal,
    env: io.env,
    stores: parts.stores,
    out,
    input,
    remotes: createOpener(
      line,
      ofRemotes,
      io.env,
      parts.secrets,
      ask,
      parts.runId,
      parts.journal,
      parts.stores,
    ),
    filter: once(async () => {
      const { filterFromFlags, tellMixedRules } = await import('../shell/filter-from-flags.ts');
      tellMixedRules(line.flags, context.emit);
      filter = await filterFromFlags(line.flags, input, out, context);
      return filter;
    }),
    bandwidth,
    guard: changeGuard(parts, () => (holdsData ? undefined : stdin())),
    control,
    stepAside,
    overview,
    ask,
    holdLog,
    holdClock,
    changes: parts.changes,
  };
}

/** Whether it says that a link or a special file is omitted which the filter excludes anyway. */
function isOfExcluded(event: SyncerEvent, filter: Filter | undefined): boolean {
  if (event.type !== 'log' || event.code !== 'not-transferable') return false;
  return event.path !== undefined && filter?.keepPath(event.path) === false;
}

/** Asks for passwords, without the view of `--progress`. */
function askPassword({ context, io, stepAside, holdClock }: InvocationParts): AskPassword {
  const prompt = passwordPrompt(
    once(() => endedBy(context.signal, io.stdin)),
    io.stderr,
  );
  return async (text) => {
    const comeBack = stepAside?.();
    const go = holdClock();
    try {
      return await prompt(text);
    } finally {
      comeBack?.();
      go();
    }
  };
}

/** Standard input may never end: an aborted run ends it with its reason as the error. */
function endedBy(signal: AbortSignal, stdin: Readable): Readable {
  stdin.on('error', () => {});
  signal.addEventListener('abort', () => stdin.destroy(signal.reason), { once: true });
  return stdin;
}

/**
 * Decides by `--dry-run` and, without it, by `--interactive` what may be changed.
 *
 * @param answers where answers are read; `undefined` if standard input holds data
 */
function changeGuard(
  parts: InvocationParts,
  answers: () => Readable | undefined,
): ChangeGuard | undefined {
  const { flags } = parts.line;
  if (flags['dry-run']) return { flag: '--dry-run', pretends: true, allows: () => false };
  if (!flags.interactive) return undefined;
  const open = once(() => openInteractive(parts, answers));
  return { flag: '--interactive', allows: async (change) => (await open()).allows(change) };
}

async function openInteractive(
  { context, out, end, holdClock }: InvocationParts,
  answers: () => Readable | undefined,
): Promise<ChangeGuard> {
  const [{ interactiveGuard }, { lineAsker }] = await Promise.all([
    import('../shell/interactive/interactive-guard.ts'),
    import('../shell/interactive/input-lines.ts'),
  ]);
  const print = async (text: string) => {
    await out.write(text);
    await out.flush();
  };
  const nothing = async (question: string) => void (await print(question));
  const lines = once(() => {
    const input = answers();
    return input === undefined ? nothing : lineAsker(input, print, context.clock.monotonic);
  });
  return interactiveGuard({
    async ask(question) {
      const go = holdClock();
      try {
        return await lines()(question);
      } finally {
        go();
      }
    },
    tell: (message) => context.emit(logText('notice', message)),
    end,
  });
}
