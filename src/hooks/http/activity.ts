/** Threads that answer requests at most, the main one among them. */
export const MAX_THREADS = 64;

/** Where numbers lie that are of no thread. */
const STOPPING = 0;
const TICK = 1;
/** What follows, for each thread. */
const FIRST = 2;
const FIELDS = 5;
const [BUSY, OPEN, ACTIVE, ACTIVE_TICK, RECEIVED] = [0, 1, 2, 3, 4] as const;

/**
 * What a server does now, in memory that all its threads share: requests that are being answered, open connections,
 * and whether it is about to stop. Every thread counts for itself.
 */
export class Activity {
  readonly memory: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #own: number;

  /** @param thread the number of the thread that counts; 0: the main one */
  constructor(
    memory = new SharedArrayBuffer(4 * (FIRST + MAX_THREADS * FIELDS)),
    thread: number = 0,
  ) {
    this.memory = memory;
    this.#cells = new Int32Array(memory);
    this.#own = FIRST + thread * FIELDS;
  }

  /** The same, for what another thread does. */
  ofThread(thread: number): Activity {
    return new Activity(this.memory, thread);
  }

  /** Requests, in all threads, whose head was read and whose answer was not sent whole yet. */
  get busy(): number {
    return this.#sum(BUSY);
  }

  /** Connections that are open, in all threads. */
  get open(): number {
    return this.#sum(OPEN);
  }

  /** Connections that are open in this thread. */
  get openHere(): number {
    return Atomics.load(this.#cells, this.#own + OPEN);
  }

  /** No connection is to go on after its answer. */
  get stopping(): boolean {
    return Atomics.load(this.#cells, STOPPING) !== 0;
  }

  begin(): void {
    this.#add(BUSY, 1);
  }

  end(): void {
    this.#add(BUSY, -1);
  }

  opened(): void {
    this.#add(OPEN, 1);
  }

  closed(): void {
    this.#add(OPEN, -1);
  }

  /** A connection that was given to this thread belongs to it now. */
  received(): void {
    Atomics.add(this.#cells, this.#own + RECEIVED, 1);
  }

  /** How many connections this thread has received, as a whole number of 32 bits that runs over. */
  get receivedHere(): number {
    return Atomics.load(this.#cells, this.#own + RECEIVED);
  }

  stop(): void {
    Atomics.store(this.#cells, STOPPING, 1);
  }

  /** The number of the piece of time that is now. */
  get tick(): number {
    return Atomics.load(this.#cells, TICK);
  }

  /** Another piece of time begins. */
  nextTick(): void {
    Atomics.add(this.#cells, TICK, 1);
  }

  /** Counts a connection of this thread with a request, once in this piece of time. */
  wasActive(place: { activeTick: number }): void {
    const { tick } = this;
    if (place.activeTick === tick) return;
    place.activeTick = tick;
    const before = this.activeHere;
    Atomics.store(this.#cells, this.#own + ACTIVE_TICK, tick);
    Atomics.store(this.#cells, this.#own + ACTIVE, before + 1);
  }

  /** Connections of this thread with a request in this piece of time. */
  get activeHere(): number {
    const isNow = Atomics.load(this.#cells, this.#own + ACTIVE_TICK) === this.tick;
    return isNow ? Atomics.load(this.#cells, this.#own + ACTIVE) : 0;
  }

  /** The thread is gone, and all that it did. */
  clear(): void {
    for (let field = 0; field < FIELDS; field++) Atomics.store(this.#cells, this.#own + field, 0);
  }

  #add(field: number, change: number): void {
    const value = Atomics.add(this.#cells, this.#own + field, change) + change;
    // What a thread had under way when it broke down was forgotten with it.
    if (value < 0) Atomics.add(this.#cells, this.#own + field, -value);
  }

  #sum(field: number): number {
    let sum = 0;
    for (let at = FIRST + field; at < this.#cells.length; at += FIELDS) {
      sum += Atomics.load(this.#cells, at);
    }
    return sum;
  }
}
