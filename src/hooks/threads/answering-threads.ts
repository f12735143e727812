import type { Socket } from 'node:net';
import type { EventLoopUtilization } from 'node:perf_hooks';
import type { Hook } from '../file/hook.ts';
import { type Activity, MAX_THREADS } from '../http/activity.ts';
import type {
  ConnectionMover,
  ConnectionPlace,
  MovingConnection,
} from '../http/connection-mover.ts';
import { descriptorOf } from '../http/descriptor-of.ts';
import { ConnectionOpener } from '../http/open-connection.ts';
import { type Arrival, addressOf } from '../http/serve-connection.ts';
import type { HookLog } from '../log/hook-log.ts';
import type { DuplicateDescriptor } from './duplicate-descriptor.ts';
import { spreadConnections } from './spread-connections.ts';
import type { startWorker, ThreadModule } from './start-worker.ts';
import { ThreadHandle } from './thread-handle.ts';
import type { FromThread, ThreadPlan } from './thread-messages.ts';
import { NO_LOAD, wantedThreads } from './wanted-threads.ts';

/** How often it is looked who does how much, in milliseconds; and where nothing happens. */
const TICK_MS = 100;
const QUIET_TICK_MS = 1000;
/** A connection whose request needed the main thread stays there for so many ticks. */
const STAYS_TICKS = 50;
/** After a thread broke down none is started for so many ticks. */
const SHY_TICKS = 100;

/** What the threads are started and fed with. */
export interface ThreadsPlan {
  /** How many answer, the main one among them; 0: as many as are needed, up to `most`. */
  readonly fixed: number;
  readonly most: number;
  readonly activity: Activity;
  readonly thread: Omit<ThreadPlan, 'thread' | 'memory' | 'hooks'>;
  readonly hooks: () => readonly Hook[];
  readonly log: HookLog;
  readonly startWorker: typeof startWorker;
  readonly loadDuplicate: () => Promise<DuplicateDescriptor | undefined>;
  /** Serves a connection in the main thread. */
  readonly serve: (socket: Socket, arrival?: Arrival) => void;
  /** Takes what is to be counted and kept. */
  readonly note: (message: FromThread & { type: 'answered' | 'refused' }) => void;
}

/**
 * Threads that answer requests beside the main one. That accepts all connections, gives some of them to the threads,
 * and gets back those on which a request came that starts a command.
 */
export class AnsweringThreads implements ConnectionMover {
  readonly handsRequestsOn = false;
  readonly #plan: ThreadsPlan;
  readonly #opener = new ConnectionOpener();
  readonly #threads: ThreadHandle[] = [];
  #duplicate: DuplicateDescriptor | undefined;
  #timer: NodeJS.Timeout | undefined;
  #tickBegan = 0;
  #utilization: EventLoopUtilization | undefined;
  #load = NO_LOAD;
  #tooMany = 0;
  #mainWeight = 1;
  #moved = 0;
  #cameBack = 0;
  #isGrowing = false;
  #growsFrom = 0;
  /** Threads are of no use until then: most requests start commands. */
  #restUntil = 0;

  constructor(plan: ThreadsPlan) {
    this.#plan = plan;
  }

  /** Starts the threads whose number is fixed, and those of them that broke down again. */
  async start(): Promise<void> {
    await this.#grow(this.#plan.fixed);
    this.#timer ??= this.#nextTick(TICK_MS);
  }

  /** Serves a connection that was just accepted, here or in a thread. */
  accept(socket: Socket): void {
    if (!this.#giveToIdlest(socket)) this.#plan.serve(socket);
  }

  #giveToIdlest(socket: Socket): boolean {
    const [first, ...others] = this.#serving;
    if (first === undefined || this.#isResting) return false;
    const open = ({ activity }: { activity: Activity }) => activity.openHere;
    const least = others.reduce((best, one) => (open(one) < open(best) ? one : best), first);
    if (open(least) > this.#plan.activity.openHere) return false;
    const remoteAddress = addressOf(socket);
    const nothing = Buffer.alloc(0);
    const moving = {
      socket,
      remoteAddress,
      bytes: nothing,
      why: 'balance',
      isBusy: false,
    } as const;
    return this.#give(moving, least);
  }

  movesOn(place: ConnectionPlace): boolean {
    const { activity } = this.#plan;
    activity.wasActive(place);
    this.#timer ??= this.#nextTick(TICK_MS);
    if (this.#tooMany <= 0 || activity.stopping || place.staysUntil > activity.tick) return false;
    return this.#serving.some(({ room }) => room > 0);
  }

  take(moving: MovingConnection): boolean {
    const thread = this.#serving.reduce<ThreadHandle | undefined>(
      (best, one) => (one.room > (best?.room ?? 0) ? one : best),
      undefined,
    );
    if (thread === undefined || !this.#give(moving, thread)) return false;
    thread.room--;
    this.#tooMany--;
    return true;
  }

  /** Resolves when all threads have these hooks. */
  async publish(hooks: readonly Hook[]): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.ask({ type: 'hooks', hooks })));
  }

  /** Resolves when everything that threads told up to now was heard. */
  async settled(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.ask({ type: 'settle' })));
  }

  get #serving(): readonly ThreadHandle[] {
    return this.#threads.filter(({ isServing }) => isServing);
  }

  get #isResting(): boolean {
    return this.#plan.activity.tick < this.#restUntil;
  }

  #give({ socket, remoteAddress, bytes, isBusy }: MovingConnection, thread: ThreadHandle): boolean {
    const own = descriptorOf(socket);
    const fd = own === undefined ? undefined : this.#duplicate?.(own);
    if (fd === undefined) return false;
    const { activity } = this.#plan;
    thread.activity.opened();
    if (isBusy) {
      thread.activity.begin();
      activity.end();
    }
    this.#moved++;
    thread.tell({ type: 'connection', fd, remoteAddress, bytes, isBusy });
    socket.destroy();
    return true;
  }

  #hear(thread: ThreadHandle, message: FromThread): void {
    const { type } = message;
    if (type === 'connection') this.#receive(thread, message);
    else if (type === 'answered' || type === 'refused') this.#plan.note(message);
    else if (type === 'empty') thread.end();
  }

  #receive(thread: ThreadHandle, message: FromThread & { type: 'connection' }): void {
    const { remoteAddress, bytes, why, isBusy } = message;
    const { activity } = this.#plan;
    const fd = this.#duplicate?.(message.fd);
    thread.tell({ type: 'taken', fd: message.fd });
    // By the next turn the request that came with it counts for itself.
    if (isBusy) setImmediate(() => thread.activity.end());
    const opened = fd === undefined ? undefined : this.#opener.open(fd);
    if (opened === undefined) return;
    const { socket, reader } = opened;
    // The thread may have broken down, and its descriptor stand for something else by now.
    if (addressOf(socket) !== remoteAddress) {
      socket.destroy();
      return;
    }
    activity.opened();
    socket.once('close', () => activity.closed());
    reader.unread(Buffer.from(bytes));
    if (why === 'request') this.#cameBack++;
    const staysUntil = why === 'request' ? activity.tick + STAYS_TICKS : 0;
    this.#plan.serve(socket, { reader, remoteAddress, staysUntil });
  }

  #nextTick(ms: number): NodeJS.Timeout {
    if (this.#timer === undefined) {
      this.#tickBegan = performance.now();
      this.#utilization = performance.eventLoopUtilization();
    }
    return setTimeout(() => this.#tick(), ms).unref();
  }

  #tick(): void {
    const { activity, most, fixed } = this.#plan;
    const ms = performance.now() - this.#tickBegan;
    const own = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(own, this.#utilization);
    this.#tickBegan += ms;
    this.#utilization = own;
    const serving = this.#serving;
    const utilizations = [utilization, ...serving.map((thread) => thread.utilization())];
    const active = [activity, ...serving.map((thread) => thread.activity)].map(
      (one) => one.activeHere,
    );
    activity.nextTick();
    this.#spread(active, utilizations, serving);
    if (fixed === 0 && !this.#isResting && !this.#isGrowing && activity.tick >= this.#growsFrom) {
      const { wanted, load } = wantedThreads(this.#load, utilizations, ms, most);
      this.#load = load;
      if (wanted > utilizations.length) void this.#grow(wanted);
      if (wanted === 1) for (const thread of serving) thread.drain();
    }
    const isQuiet = active.every((count) => count === 0);
    const goesOn = !isQuiet || this.#threads.length > 0;
    this.#timer = goesOn ? this.#nextTick(isQuiet ? QUIET_TICK_MS : TICK_MS) : undefined;
  }

  /** Says who is to give connections away, and to whom. */
  #spread(
    active: readonly number[],
    utilizations: readonly number[],
    serving: readonly ThreadHandle[],
  ): void {
    this.#rest();
    const [own = 0, ...others] = utilizations;
    const isOver = serving.length > 0 && own > 0.95 && Math.max(...others) < 0.8;
    this.#mainWeight = isOver
      ? Math.max(0.1, this.#mainWeight * 0.8)
      : Math.min(1, this.#mainWeight * 1.05);
    const [main, ...shares] = spreadConnections(active, [
      this.#mainWeight,
      ...serving.map(() => 1),
    ]);
    this.#tooMany = this.#isResting ? 0 : (main?.tooMany ?? 0);
    for (const [i, thread] of serving.entries()) {
      const { tooMany = 0, room = 0 } = shares[i] ?? {};
      thread.room = room;
      if (tooMany > 0) thread.tell({ type: 'release', count: tooMany });
    }
  }

  /** Where most connections come back with a request that starts a command, giving them away only costs. */
  #rest(): void {
    const { fixed, activity } = this.#plan;
    if (fixed === 0 && this.#cameBack > 8 && this.#cameBack * 2 > this.#moved) {
      this.#restUntil = activity.tick + STAYS_TICKS;
    }
    this.#moved = 0;
    this.#cameBack = 0;
  }

  /** Starts threads until there are `wanted`, and resolves when they serve. What fails is logged. */
  async #grow(wanted: number): Promise<void> {
    this.#isGrowing = true;
    this.#duplicate ??= await this.#plan.loadDuplicate();
    // Without it no connection can go from thread to thread; nothing is tried again.
    if (this.#duplicate === undefined) return;
    try {
      const module = await import('./answering-thread.ts');
      const missing = wanted - 1 - this.#threads.filter(({ isLeaving }) => !isLeaving).length;
      const fresh = Array.from({ length: Math.max(0, missing) }, () => this.#startOne(module));
      await Promise.all(fresh.map(({ started }) => started));
    } catch (thrown) {
      this.#fault(`no further thread can be started: ${(thrown as Error).message}`);
    }
    this.#isGrowing = false;
  }

  #startOne(module: ThreadModule): ThreadHandle {
    const { thread, activity, hooks, startWorker } = this.#plan;
    const taken = new Set(this.#threads.map(({ number }) => number));
    let number = 1;
    while (taken.has(number)) number++;
    if (number >= MAX_THREADS) throw new Error('there are too many');
    const { memory } = activity;
    const worker = startWorker(module, { ...thread, thread: number, memory, hooks: hooks() });
    const handle = new ThreadHandle(number, worker, activity.ofThread(number), {
      heard: (one, message) => this.#hear(one, message),
      gone: (one, fault) => this.#lose(one, fault),
    });
    this.#threads.push(handle);
    return handle;
  }

  #lose(thread: ThreadHandle, fault: Error | undefined): void {
    this.#threads.splice(this.#threads.indexOf(thread), 1);
    if (fault === undefined) return;
    this.#fault(`a thread that answers requests broke down: ${fault.message}`);
    if (this.#plan.fixed > 0) setTimeout(() => void this.start(), QUIET_TICK_MS).unref();
  }

  #fault(line: string): void {
    this.#plan.log.line(line);
    this.#growsFrom = this.#plan.activity.tick + SHY_TICKS;
  }
}
