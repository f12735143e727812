import { SyncerError } from '../../core/errors.ts';
import { connectLines, LineClient } from '../../system/line-client.ts';
import type { RunRecord } from '../run/run-ledger.ts';
import type {
  ControlEvent,
  ControlQuestion,
  HookOverview,
  RunDetails,
} from './control-protocol.ts';

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
