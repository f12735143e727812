import type { Readable } from 'node:stream';
import type { Context } from '../core/context.ts';
import type { Filter } from '../filter/filter.ts';
import type { Bandwidth } from '../sync/run.ts';
import type { CommandSummary, Invocation, Output } from './command.ts';
import type { CommandLine } from './command-line/parse-command-line.ts';
import { once } from './once.ts';
import type { ProgramIo } from './process/program-io.ts';
import { createOpener } from './remotes/open-remote.ts';

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
  readonly io: Pick<ProgramIo, 'env' | 'stdin'>;
  readonly out: Output;
  readonly bandwidth: Bandwidth | undefined;
}

/** Everything a command gets; remotes and filter are built when it asks for them. */
export function createInvocation(parts: InvocationParts): OpenInvocation {
  const { line, commands, context, io, out, bandwidth } = parts;
  const opener = createOpener(line, context, io.env);
  const stdin = once(() => endedBy(context.signal, io.stdin));
  const filter = once(async (): Promise<Filter> => {
    const { filterFromFlags } = await import('./filter-options.ts');
    return filterFromFlags(line.flags, stdin, out, context.clock.now());
  });
  return {
    invocation: {
      args: line.args,
      flags: line.flags,
      commands,
      context,
      env: io.env,
      get stdin() {
        return stdin();
      },
      out,
      ...(bandwidth === undefined ? {} : { bandwidth }),
      openDir: opener.openDir,
      openPath: opener.openPath,
      filter,
    },
    close: () => opener.closeAll(),
  };
}

/** Standard input may never end: when the run must end, whoever reads it gets the reason as an error. */
function endedBy(signal: AbortSignal, stdin: Readable): Readable {
  stdin.on('error', () => {});
  signal.addEventListener('abort', () => stdin.destroy(signal.reason), { once: true });
  return stdin;
}
