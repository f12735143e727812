import type { Readable } from 'node:stream';
import type { AskPassword } from '../config/config-password.ts';
import type { Context } from '../core/context.ts';
import { SyncerError, toSyncerError } from '../core/errors.ts';
import type { Emit } from '../core/events.ts';
import { once } from '../core/once.ts';
import { newRunId } from '../core/run-id.ts';
import type { Action } from '../engine/action.ts';
import type { Consent } from '../engine/consent.ts';
import type { Bandwidth } from '../engine/run.ts';
import type { Filter } from '../filter/filter.ts';
import type {
  Changing,
  CommandLine,
  CommandSummary,
  InnerAsked,
  InnerRun,
  Invocation,
  Showing,
  Steering,
} from '../shell/command-line/command.ts';
import { passwordPrompt } from '../shell/interactive/password-prompt.ts';
import type { KnownSecrets } from '../shell/log/known-secrets.ts';
import { logText } from '../shell/log/log-text.ts';
import type { BufferedOutput } from '../shell/output/output.ts';
import type { ProgramIo } from '../shell/process/program-io.ts';
import { applyEvent, ProgressState } from '../shell/progress/progress-state.ts';
import type { Stores } from '../state/stores.ts';
import { type LazyJournal, lazyJournal } from './history/lazy-journal.ts';
import { RunOpener } from './remotes/open-remote.ts';

/** What an invocation has as it is given. */
export interface GivenParts extends Showing, Steering {
  readonly runId: string;
  readonly commands: readonly CommandSummary[];
  readonly context: Context;
  readonly stores: Stores;
  readonly bandwidth?: Bandwidth | undefined;
  readonly changes: Changing['changes'];
}

/** What an invocation is made of. */
export interface InvocationParts {
  readonly given: GivenParts;
  readonly line: CommandLine;
  /** The words of the command line without secrets. */
  readonly words: readonly string[];
  readonly io: Pick<ProgramIo, 'argv' | 'env' | 'stdin' | 'stderr' | 'signal'>;
  readonly out: BufferedOutput;
  /** Gets the secrets of the remotes that are opened. */
  readonly secrets: KnownSecrets;
  /** Notes the changes of the run. */
  readonly journal: LazyJournal | undefined;
  /** Ends the run: the answer `q` to `--interactive`. */
  readonly end: (reason: SyncerError) => void;
  readonly bandwidthLimit: Context['bandwidthLimit'];
  /** Called before anything reads standard input. */
  readonly beforeInput: () => void;
  /** Opens remotes; absent: one is made. */
  readonly remotes?: RunOpener;
}

/** Everything a command gets; remotes and filter are created when it asks for them. */
export function createInvocation(parts: InvocationParts): Invocation {
  const { given, line, io, out } = parts;
  const { context, control, runId, stores } = given;
  const answers = once(() => endedBy(context.signal, io.stdin));
  const stdin = once(() => {
    parts.beforeInput();
    return answers();
  });
  let holdsData = false;
  const input = () => {
    holdsData = true;
    return stdin();
  };
  const ask = line.flags['ask-password'] ? askPassword(parts, answers) : undefined;
  let filter: Filter | undefined;
  const emit: Emit = (event) => {
    // A link or a special file that the filter excludes is not omitted.
    const path = event.type === 'log' && event.code === 'not-transferable' ? event.path : undefined;
    if (path === undefined || filter?.keepPath(path) !== false) context.emit(event);
  };
  const { bandwidthLimit } = parts;
  const ofRemotes = {
    ...context,
    emit,
    ...(bandwidthLimit === undefined ? {} : { bandwidthLimit }),
    ...(control === undefined ? {} : { transfersWanted: () => control.slots.wanted }),
  };
  const remotes =
    parts.remotes ??
    new RunOpener(
      { line, context: ofRemotes, env: io.env, secrets: parts.secrets, ask, stores },
      { runId, journal: parts.journal },
    );
  return {
    ...given,
    args: line.args,
    argv: io.argv,
    shownWords: parts.words,
    flags: line.flags,
    beganMs: line.beganMs,
    typed: line.typed,
    interruption: io.signal,
    env: io.env,
    out,
    input,
    answers,
    remotes,
    filter: once(async () => {
      const { filterFromFlags, tellMixedRules } = await import('../shell/filter-from-flags.ts');
      tellMixedRules(line.flags, context.emit);
      filter = await filterFromFlags(line.flags, input, out, context);
      return filter;
    }),
    consent: consentOf(parts, () => (holdsData ? undefined : stdin())),
    ask,
    trashUse: async () => parts.journal?.trashUse(),
    begin: (asked) => beginInner(parts, remotes, asked),
  };
}

/** Nothing that would show on the terminal, which a screen has. */
const ASIDE = {
  control: undefined,
  stepAside: undefined,
  overview: undefined,
  holdLog: () => () => {},
  holdClock: () => () => {},
  changes: async () => {},
};

function beginInner(parts: InvocationParts, around: RunOpener, asked: InnerAsked): InnerRun {
  const { given, io, secrets } = parts;
  const { commands, context, stores } = given;
  const { clock } = context;
  const command = commands.find(({ name }) => name === asked.command);
  if (command === undefined) throw new SyncerError('usage', `unknown command ${asked.command}`);
  const { args = parts.line.args } = asked;
  const flags = { ...parts.line.flags, ...asked.flags };
  const line = { ...parts.line, command: command.name, summary: command, args, flags };
  const startedMs = clock.now();
  const words = asked.args === undefined ? parts.words : [command.name, ...args];
  const run = { id: newRunId(startedMs), startedMs, words };
  const state = new ProgressState(clock.monotonic());
  const emit: Emit = (event) => {
    applyEvent(state, event);
    asked.emit(event);
  };
  const own: Context = { ...context, signal: asked.signal, emit };
  const journal = lazyJournal(command, line, run, own, { env: io.env, stores });
  const remotes = around.inRun({ runId: run.id, journal, options: asked.options });
  let written = '';
  const out: BufferedOutput = {
    colour: false,
    isTerminal: false,
    async write(data) {
      written += typeof data === 'string' ? data : Buffer.from(data).toString();
    },
    async flush() {},
  };
  const invocation = createInvocation({
    ...parts,
    given: { ...given, ...ASIDE, context: own, runId: run.id },
    line,
    words,
    out,
    journal,
    remotes,
  });
  const { consent = invocation.consent } = asked;
  const inner = { ...invocation, consent };
  return {
    id: run.id,
    invocation: inner,
    async perform() {
      const perform = await command.load?.();
      await perform?.(inner);
    },
    written: () => written,
    async end(thrown) {
      await remotes.closeAll();
      const changes = await journal?.close();
      if (changes === undefined) return false;
      const [{ noteRun }, { memoryUse }] = await Promise.all([
        import('./history/note-run.ts'),
        import('../shell/process/memory-limit.ts'),
      ]);
      const error = thrown === undefined ? state.lastError : toSyncerError(thrown);
      await noteRun(stores, io.env, {
        ...run,
        exit: error?.exit ?? 0,
        state,
        clock,
        memory: memoryUse(undefined),
        changes,
        error: error && secrets.hide(error.message),
        isTrial: false,
      });
      return true;
    },
  };
}

/** Asks for passwords, without the view of `--progress`. */
function askPassword({ given, io }: InvocationParts, answers: () => Readable): AskPassword {
  const { stepAside, holdClock } = given;
  const prompt = passwordPrompt(answers, io.stderr);
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
function consentOf(parts: InvocationParts, answers: () => Readable | undefined): Consent {
  const { flags } = parts.line;
  // `PRETEND` and `ALL`, without loading the engine for commands that have no use for it.
  if (flags['dry-run']) return { how: 'pretend' };
  if (!flags.interactive) return { how: 'all' };
  const open = once(() => openInteractive(parts, answers));
  return { how: 'ask', ask: async (change) => (await open())(change) };
}

async function openInteractive(
  { given: { context, holdClock }, out, end }: InvocationParts,
  answers: () => Readable | undefined,
): Promise<(action: Action) => boolean | Promise<boolean>> {
  const [{ interactiveConsent }, { lineAsker }] = await Promise.all([
    import('../shell/interactive/interactive-consent.ts'),
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
  return interactiveConsent({
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
