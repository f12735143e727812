import type { Readable } from 'node:stream';
import type { Context } from '../../core/context.ts';
import type { SyncerError } from '../../core/errors.ts';
import type { ChangeGuard } from '../../sync/change-guard.ts';
import type { Flags } from '../flags/flag-table.ts';
import { once } from '../once.ts';
import type { BufferedOutput } from '../output/output.ts';
import type { ReadLine } from './input-lines.ts';

/** What of the program is needed to ask. */
export interface GuardParts {
  readonly flags: Flags;
  readonly context: Context;
  readonly out: BufferedOutput;
  /** Where answers are read; `undefined` where standard input holds something else. */
  readonly answers: () => Readable | undefined;
  /** Ends the run with this reason. */
  readonly end: (reason: SyncerError) => void;
}

/** Decides what may be changed by `--dry-run` and, where that is not given, `--interactive`. */
export function openChangeGuard(parts: GuardParts): ChangeGuard | undefined {
  const { flags } = parts;
  if (flags['dry-run']) return { flag: '--dry-run', allows: () => false };
  if (!flags.interactive) return undefined;
  const open = once(() => openInteractive(parts));
  return { flag: '--interactive', allows: async (change) => (await open()).allows(change) };
}

async function openInteractive({ context, out, answers, end }: GuardParts): Promise<ChangeGuard> {
  const [{ interactiveGuard }, { inputLines }] = await Promise.all([
    import('./interactive-guard.ts'),
    import('./input-lines.ts'),
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
