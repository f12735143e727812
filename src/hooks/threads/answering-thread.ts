import type { Socket } from 'node:net';
import { Activity } from '../http/activity.ts';
import type { ConnectionMover, MovingConnection } from '../http/connection-mover.ts';
import { DateText } from '../http/date-text.ts';
import { descriptorOf } from '../http/descriptor-of.ts';
import { ConnectionOpener } from '../http/open-connection.ts';
import {
  type ConnectionLimits,
  type RequestHandler,
  serveConnection,
} from '../http/serve-connection.ts';
import type { SocketReader } from '../http/socket-reader.ts';
import { connectionFaults, logTo } from '../log/log-to.ts';
import { requestHandler } from '../server/handle-request.ts';
import { HookSet } from '../server/hook-set.ts';
import { judgingHandler } from './judging-handler.ts';
import { runsElsewhere } from './runs-elsewhere.ts';
import type { FromThread, ThreadPlan, ToThread } from './thread-messages.ts';

/**
 * Where this module lies: what a thread has to load.
 * @public Whoever starts a thread looks it up in the whole module.
 */
export const MODULE_URL = import.meta.url;

/**
 * Answers requests beside the main thread, for as long as that wants it: to be called in the thread.
 * @public The script that a thread starts with calls it by its name.
 */
export function answerInThread(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  if (parentPort === null) throw new Error('this is the main thread');
  const tell = (message: FromThread) => parentPort.postMessage(message);
  const thread = new AnsweringThread(workerData.plan as ThreadPlan, tell);
  parentPort.on('message', (message: ToThread) => thread.hear(message));
  tell({ type: 'ready' });
}

class AnsweringThread {
  readonly #tell: (message: FromThread) => void;
  readonly #activity: Activity;
  readonly #limits: ConnectionLimits;
  readonly #handle: RequestHandler;
  readonly #opener = new ConnectionOpener();
  readonly #open = new Map<Socket, SocketReader>();
  /** Connections that the main thread takes over, by their descriptors. */
  readonly #leaving = new Map<number, Socket>();
  #hooks: HookSet;
  #toRelease = 0;
  /** What is to be released is so in this tick. */
  #releaseUntil = 0;
  #drains = false;

  constructor(plan: ThreadPlan, tell: (message: FromThread) => void) {
    const { limits, memory, thread, options, logDescriptor, pages } = plan;
    this.#tell = tell;
    this.#activity = new Activity(memory, thread);
    this.#hooks = hookSet(plan.hooks);
    const mover: ConnectionMover = {
      handsRequestsOn: true,
      movesOn: (place) => {
        this.#activity.wasActive(place);
        if (this.#drains) return true;
        const isMeant = this.#toRelease > 0 && this.#activity.tick <= this.#releaseUntil;
        if (isMeant) this.#toRelease--;
        return isMeant;
      },
      take: (moving) => this.#give(moving),
    };
    const log = logTo(logDescriptor);
    const onFault = connectionFaults(log);
    this.#limits = { ...limits, activity: this.#activity, dates: new DateText(), mover, onFault };
    const handle = requestHandler({
      options,
      log,
      findHook: (id) => this.#hooks.find(id),
      runs: runsElsewhere(plan, tell),
    });
    this.#handle = judgingHandler(handle, pages);
  }

  /** Does what the main thread wants. */
  hear(message: ToThread): void {
    switch (message.type) {
      case 'connection':
        this.#receive(message);
        break;
      case 'taken':
        this.#leaving.get(message.fd)?.destroy();
        this.#leaving.delete(message.fd);
        break;
      case 'hooks':
        this.#hooks = hookSet(message.hooks);
        this.#tell({ type: 'done', number: message.number });
        break;
      case 'settle':
        this.#tell({ type: 'done', number: message.number });
        break;
      case 'release':
        this.#toRelease = message.count;
        this.#releaseUntil = this.#activity.tick;
        break;
      case 'drain':
        this.#drains = true;
        for (const reader of this.#open.values()) reader.interrupt();
        this.#tellIfEmpty();
    }
  }

  #receive({ fd, remoteAddress, bytes, isBusy }: ToThread & { type: 'connection' }): void {
    // By the next turn the request that came with it counts for itself.
    if (isBusy) setImmediate(() => this.#activity.end());
    const opened = this.#opener.open(fd);
    this.#activity.received();
    if (opened === undefined) {
      this.#activity.closed();
      return;
    }
    const { socket, reader } = opened;
    this.#open.set(socket, reader);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#activity.closed();
      this.#tellIfEmpty();
    });
    reader.unread(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (this.#drains) reader.interrupt();
    void serveConnection(socket, this.#handle, this.#limits, { reader, remoteAddress });
  }

  #give({ socket, remoteAddress, bytes, why, isBusy }: MovingConnection): boolean {
    const fd = descriptorOf(socket);
    if (fd === undefined) return false;
    this.#leaving.set(fd, socket);
    this.#tell({ type: 'connection', fd, remoteAddress, bytes, why, isBusy });
    return true;
  }

  #tellIfEmpty(): void {
    if (this.#drains && this.#open.size === 0) this.#tell({ type: 'empty' });
  }
}

function hookSet(hooks: ThreadPlan['hooks']): HookSet {
  return new HookSet([{ path: '', hooks, references: [] }]);
}
