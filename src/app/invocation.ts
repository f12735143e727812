import type { Readable } from 'node:stream';
import type { AskPassword } from '../config/config-password.ts';
import type { Context } from '../core/context.ts';
import type { SyncerError } from '../core/errors.ts';
import type { Filter } from '../filter/filter.ts';
import type { ChangeGuard } from '../sync/change-guard.ts';
import type { Bandwidth } from '../sync/run.ts';
import type { RunControl } from '../sync/run-control.ts';
import type { CommandSummary, Invocation } from './command.ts';
import type { CommandLine } from './command-line/parse-command-line.ts';
import type { Flags } from './flags/flag-table.ts';
import { passwordPrompt } from './interactive/ask-password.ts';
import type { ReadLine } from './interactive/input-lines.ts';
import { once } from './once.ts';
import type { BufferedOutput } from './output/output.ts';
import type { ProgramIo } from './process/program-io.ts';
import { createOpener } from './remotes/open-remote.ts';

/** What of the program is needed to ask. */
interface GuardParts {
  readonly flags: Flags;
  readonly context: Context;
  readonly out: BufferedOutput;
  /** Where answers are read; `undefined` where standard input holds something else. */
  readonly answers: () => Readable | undefined;
  /** Ends the run with this reason. */
  readonly end: (reason: SyncerError) => void;
}

/** What a command is run with, and how to end it. */
export interface OpenInvocation {
  readonly invocation: Invocation;
  /** Closes the remotes that were opened. */
  close(): Promise<void>;
}

/** What of the program an invocation is made of. */
export interface InvocationParts {
  readonly line: CommandLine;
  readonly commands: readonly CommandSummary[];
  readonly context: Context;
  readonly io: Pick<ProgramIo, 'argv' | 'env' | 'stdin' | 'stderr' | 'signal'>;
  readonly out: BufferedOutput;
  /** Ends the run: the answer `q` to `--interactive`. */
  readonly end: (reason: SyncerError) => void;
  readonly bandwidth: Bandwidth | undefined;
  readonly control?: RunControl | undefined;
  /** See `Invocation.holdLog`; does nothing where absent. */
  readonly holdLog?: () => () => void;
  readonly stepAside?: (() => () => void) | undefined;
  /** Called before anything reads standard input. */
  readonly beforeInput?: () => void;
}

/** Everything a command gets; remotes and filter are built when it asks for them. */
export function createInvocation(parts: InvocationParts): OpenInvocation {
  const { line, commands, context, io, out, end, bandwidth, control } = parts;
  const stdin = once(() => {
    parts.beforeInput?.();
    return endedBy(context.signal, io.stdin);
  });
  const ask = line.flags['ask-password'] ? asking(parts) : undefined;
  const opener = createOpener(line, context, io.env, ask);
  let holdsData = false;
  const dataInput = () => {
    holdsData = true;
    return stdin();
  };
  const guard = openChangeGuard({
    flags: line.flags,
    context,
    out,
    answers: () => (holdsData ? undefined : stdin()),
    end,
  });
  const filter = once(async (): Promise<Filter> => {
    const { filterFromFlags, tellMixedRules } = await import('./filter-options.ts');
    tellMixedRules(line.flags, context.emit);
    return filterFromFlags(line.flags, dataInput, out, context);
  });
  return {
    invocation: {
      args: line.args,
      argv: io.argv,
      flags: line.flags,
      commands,
      context,
      interruption: io.signal,
      env: io.env,
      get stdin() {
        return dataInput();
      },
      out,
      ...(bandwidth === undefined ? {} : { bandwidth }),
      ...(guard === undefined ? {} : { guard }),
      ...(control === undefined ? {} : { control }),
      ...(parts.stepAside === undefined ? {} : { stepAside: parts.stepAside }),
      ...(ask === undefined ? {} : { ask }),
      readConfig: opener.readConfig,
      openDir: opener.openDir,
      openPath: opener.openPath,
      reconnect: opener.reconnect,
      holdLog: parts.holdLog ?? (() => () => {}),
      filter,
    },
    close: () => opener.closeAll(),
  };
}

/** Asks for passwords while nothing else is drawn on the terminal. */
function asking({ context, io, stepAside }: InvocationParts): AskPassword {
  const prompt = passwordPrompt(
    once(() => endedBy(context.signal, io.stdin)),
    io.stderr,
  );
  return async (text) => {
    const comeBack = stepAside?.();
    try {
      return await prompt(text);
    } finally {
      comeBack?.();
    }
  };
}

/** Standard input may never end: when the run must end, whoever reads it gets the reason as an error. */
function endedBy(signal: AbortSignal, stdin: Readable): Readable {
  stdin.on('error', () => {});
  signal.addEventListener('abort', () => stdin.destroy(signal.reason), { once: true });
  return stdin;
}

/** Decides what may be changed by `--dry-run` and, where that is not given, `--interactive`. */
function openChangeGuard(parts: GuardParts): ChangeGuard | undefined {
  const { flags } = parts;
  if (flags['dry-run']) return { flag: '--dry-run', allows: () => false };
  if (!flags.interactive) return undefined;
  const open = once(() => openInteractive(parts));
  return { flag: '--interactive', allows: async (change) => (await open()).allows(change) };
}

async function openInteractive({ context, out, answers, end }: GuardParts): Promise<ChangeGuard> {
  const [{ interactiveGuard }, { inputLines }] = await Promise.all([
    import('./interactive/interactive-guard.ts'),
    import('./interactive/input-lines.ts'),
  ]);
  const nothing: ReadLine = async () => undefined;
  const lines = once(() => {
    const input = answers();
    return input === undefined ? nothing : inputLines(input);
  });
  return interactiveGuard({
    async print(text) {
      await out.write(text);
      await out.flush();
    },
    readLine: () => lines()(),
    tell: (message) => context.emit({ type: 'log', level: 'notice', message }),
    end,
  });
}
