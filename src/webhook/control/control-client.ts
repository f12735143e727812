import { connect, type Socket } from 'node:net';
import { SyncerError } from '../../core/errors.ts';
import type { RunRecord } from '../run/run-record.ts';
import {
  type ControlAnswer,
  type ControlEvent,
  type ControlQuestion,
  type HookOverview,
  MAX_CONTROL_LINE,
  type RunDetails,
} from './control-protocol.ts';
import { splitLines } from './serve-control.ts';

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (fault: SyncerError) => void;
}

/** A connection to the control socket of a `webhook`. */
export class ControlClient {
  readonly #socket: Socket;
  readonly #path: string;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<(event: ControlEvent) => void>();
  readonly #closed = Promise.withResolvers<void>();
  #number = 0;

  private constructor(socket: Socket, path: string) {
    this.#socket = socket;
    this.#path = path;
    const lines = splitLines(MAX_CONTROL_LINE);
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => {
      try {
        for (const line of lines(piece)) this.#take(JSON.parse(line));
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => this.#end());
  }

  /** Connects. Rejects with `SyncerError` if no server listens at `path`. */
  static open(path: string): Promise<ControlClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      const failed = (thrown: NodeJS.ErrnoException) => reject(noServer(path, thrown));
      socket.once('error', failed);
      socket.once('connect', () => {
        socket.off('error', failed);
        resolve(new ControlClient(socket, path));
      });
    });
  }

  /** Resolves when the connection is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  hooks(): Promise<readonly HookOverview[]> {
    return this.#ask({ ask: 'hooks' }) as Promise<readonly HookOverview[]>;
  }

  /** Newest first. */
  history(): Promise<readonly RunRecord[]> {
    return this.#ask({ ask: 'history' }) as Promise<readonly RunRecord[]>;
  }

  /** Rejects with `SyncerError` where the run is not known (any more); so do those below. */
  run(run: string): Promise<RunDetails> {
    return this.#ask({ ask: 'run', run }) as Promise<RunDetails>;
  }

  /** Runs a hook again with the request of a run. Gives the new run. */
  rerun(run: string): Promise<RunRecord> {
    return this.#ask({ ask: 'rerun', run }) as Promise<RunRecord>;
  }

  /** Events of all runs come from now on. */
  async watch(): Promise<void> {
    await this.#ask({ ask: 'watch' });
  }

  /** What a run wrote and writes comes as events, and at last its `end`. */
  async follow(run: string): Promise<void> {
    await this.#ask({ ask: 'follow', run });
  }

  /** Calls `listener` for every event. @returns ends that */
  on(listener: (event: ControlEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#socket.destroy();
  }

  #ask(question: ControlQuestion): Promise<unknown> {
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(gone(this.#path));
        return;
      }
      this.#pending.set(number, { resolve, reject });
      this.#socket.write(`${JSON.stringify({ number, ...question })}\n`);
    });
  }

  #take(message: ControlAnswer | ControlEvent): void {
    if ('event' in message) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const pending = this.#pending.get(message.number);
    this.#pending.delete(message.number);
    if ('error' in message) pending?.reject(new SyncerError('file-not-found', message.error));
    else pending?.resolve(message.result);
  }

  #end(): void {
    for (const { reject } of this.#pending.values()) reject(gone(this.#path));
    this.#pending.clear();
    this.#closed.resolve();
  }
}

function gone(path: string): SyncerError {
  return new SyncerError('no-answer', `the hook server at ${path} closed the connection`);
}

function noServer(path: string, { code }: NodeJS.ErrnoException): SyncerError {
  if (code === 'EACCES') {
    return new SyncerError('access-denied', `${path}: only the user of the hook server may use it`);
  }
  const advice = 'start it with webhook -control PATH, and name the path with --control';
  return new SyncerError('no-answer', `no hook server listens at ${path}; ${advice}`);
}
