import { SyncerError } from '../../core/errors.ts';
import { counted } from '../../core/shown-text.ts';
import { connectLines, LineClient } from '../../system/line-client.ts';
import type { ShownRequest } from '../log/shown-request.ts';
import type { RunRecord } from '../run/run-ledger.ts';

/** A connection to the control socket of a `webhook`. */
export class ControlClient extends LineClient<ControlQuestion, ControlEvent> {
  /** Connects. Rejects with `SyncerError` if no server listens at `path`. */
  static async open(path: string): Promise<ControlClient> {
    const socket = await connectLines(path, ({ code }) => {
      if (code === 'EACCES') {
        const why = `${path}: only the user of the hook server may use it`;
        return new SyncerError('access-denied', why);
      }
      const advice = 'start it with webhook -control PATH, and name the path with --control';
      return new SyncerError('no-answer', `no hook server listens at ${path}; ${advice}`);
    });
    return new ControlClient(socket, `the hook server at ${path}`);
  }

  hooks(): Promise<readonly HookOverview[]> {
    return this.ask({ ask: 'hooks' }) as Promise<readonly HookOverview[]>;
  }

  /** Newest first. */
  history(): Promise<readonly RunRecord[]> {
    return this.ask({ ask: 'history' }) as Promise<readonly RunRecord[]>;
  }

  /** Rejects with `SyncerError` where the run is not known (any more); so do those below. */
  run(run: string): Promise<RunDetails> {
    return this.ask({ ask: 'run', run }) as Promise<RunDetails>;
  }

  /** Runs a hook again with the request of a run. Gives the new run. */
  rerun(run: string): Promise<RunRecord> {
    return this.ask({ ask: 'rerun', run }) as Promise<RunRecord>;
  }

  /** Events of all runs come from now on. */
  async watch(): Promise<void> {
    await this.ask({ ask: 'watch' });
  }

  /** What a run wrote and writes comes as events, and at last its `end`. */
  async follow(run: string): Promise<void> {
    await this.ask({ ask: 'follow', run });
  }
}

/** Time limit for the response of a hook server that is asked for a sum, in milliseconds. */
const RESPONSE_MS = 2_000;

/** The number of hooks of the server with this control socket, and of their runs; `undefined` if it does not respond. */
export async function hooksInWords(path: string): Promise<string | undefined> {
  const client = await ControlClient.open(path).catch(() => undefined);
  if (client === undefined) return undefined;
  const late = setTimeout(() => client.close(), RESPONSE_MS);
  const hooks = await client.hooks().catch(() => undefined);
  clearTimeout(late);
  client.close();
  if (hooks === undefined) return undefined;
  const sums = (['running', 'waiting'] as const).map((of) => {
    const sum = hooks.reduce((all, hook) => all + hook[of], 0);
    return sum === 0 ? '' : `, ${sum} ${of}`;
  });
  return `${counted(hooks.length, 'hook')}${sums.join('')}`;
}

/**
 * What can be asked on the control socket: JSON, one value a line. Every request is answered once, with its number;
 * `watch` and `follow` bring events beside that, until the connection is closed.
 */
export type ControlQuestion =
  /** All hooks, in the order of their files. Gives `HookOverview[]`. */
  | { readonly ask: 'hooks' }
  /** The runs that go on and the last that are over, newest first. Gives `RunRecord[]`. */
  | { readonly ask: 'history' }
  /** One run. Gives `RunDetails`. */
  | { readonly ask: 'run'; readonly run: string }
  /** Runs a hook again with the request of a run, judging it again where it was refused. Gives `RunRecord`. */
  | { readonly ask: 'rerun'; readonly run: string }
  /** Events of all runs and of reloads from now on. Gives `null`. */
  | { readonly ask: 'watch' }
  /** What a run has written, as far as it is kept, and all it writes, until its `end`. Gives `null`. */
  | { readonly ask: 'follow'; readonly run: string };

export type ControlEvent =
  | { readonly event: 'run'; readonly run: RunRecord }
  /** The hooks were reloaded. */
  | { readonly event: 'hooks'; readonly hooks: readonly HookOverview[] }
  /** `data` is base64. */
  | { readonly event: 'output'; readonly run: string; readonly data: string }
  | { readonly event: 'end'; readonly run: RunRecord };

export interface HookOverview {
  readonly id: string;
  readonly command: string;
  readonly running: number;
  readonly waiting: number;
  /** Of the runs that are known. */
  readonly refused: number;
  readonly failed: number;
  /** The newest of its runs and refusals that is known. */
  readonly last?: RunRecord;
}

/** A run and what is kept of it. */
export interface RunDetails {
  readonly run: RunRecord;
  /** The end of what its command wrote; base64. */
  readonly output: string;
  /** Its request is kept and can be run again. */
  readonly canRerun: boolean;
  /** Absent if it is not kept. */
  readonly request?: ShownRequest;
}
