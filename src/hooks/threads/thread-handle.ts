import { closeSync } from 'node:fs';
import type { EventLoopUtilization } from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';
import type { Activity } from '../http/activity.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

/** What a thread brings about in the main one. */
export interface ThreadEvents {
  readonly heard: (thread: ThreadHandle, message: FromThread) => void;
  /** It has ended; `fault`: without being told to. */
  readonly gone: (thread: ThreadHandle, fault: Error | undefined) => void;
}

/** A thread that answers requests, as the main one sees it. */
export class ThreadHandle {
  readonly number: number;
  /** What it does, in memory that both share. */
  readonly activity: Activity;
  /** Resolves when it answers requests, or has ended before. */
  readonly started: Promise<void>;
  /** Room for connections of other threads. */
  room = 0;
  #state: 'starting' | 'serving' | 'leaving' | 'gone' = 'starting';
  readonly #worker: Worker;
  readonly #waiting = new Map<number, () => void>();
  #asked = 0;
  /** Descriptors that it has not received yet, in their order. */
  readonly #onTheWay: number[] = [];
  #received = 0;
  #utilization: EventLoopUtilization | undefined;

  constructor(number: number, worker: Worker, activity: Activity, events: ThreadEvents) {
    this.number = number;
    this.activity = activity;
    this.#worker = worker;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.started = promise;
    let fault: Error | undefined;
    worker.on('error', (thrown: Error) => {
      fault = thrown;
    });
    worker.on('message', (message: FromThread) => {
      if (message.type === 'ready') {
        if (this.#state === 'starting') this.#state = 'serving';
        resolve();
      } else if (message.type === 'done') this.#answered(message.number);
      else events.heard(this, message);
    });
    worker.on('exit', (code: number) => {
      const isWanted = this.#state === 'gone';
      this.#state = 'gone';
      this.#forgetReceived();
      for (const fd of this.#onTheWay) closeSync(fd);
      activity.clear();
      for (const wake of this.#waiting.values()) wake();
      resolve();
      events.gone(this, isWanted ? undefined : (fault ?? new Error(`it ended with ${code}`)));
    });
    // The server ends when the main thread wants it.
    worker.unref();
  }

  /** It gives its connections away, or is gone. */
  get isLeaving(): boolean {
    return this.#state === 'leaving' || this.#state === 'gone';
  }

  /** It takes connections. */
  get isServing(): boolean {
    return this.#state === 'serving';
  }

  tell(message: ToThread): void {
    if (this.#state === 'gone') return;
    if (message.type === 'connection') {
      this.#forgetReceived();
      this.#onTheWay.push(message.fd);
    }
    this.#worker.postMessage(message);
  }

  /** Tells it something, and resolves when it has taken that in, or has ended. */
  ask(message: { type: 'settle' } | Omit<ToThread & { type: 'hooks' }, 'number'>): Promise<void> {
    if (this.#state === 'gone') return Promise.resolve();
    const number = ++this.#asked;
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
      this.tell({ ...message, number });
    });
  }

  /** It is to give all its connections away. */
  drain(): void {
    if (this.#state === 'gone') return;
    this.#state = 'leaving';
    this.tell({ type: 'drain' });
  }

  /** Ends it, whatever it does. */
  end(): void {
    this.#state = 'gone';
    void this.#worker.terminate();
  }

  /** The part of the time since the last question in which it had something to do. */
  utilization(): number {
    const { eventLoopUtilization: measure } = this.#worker.performance;
    const now = measure();
    const { utilization } = measure(now, this.#utilization);
    this.#utilization = now;
    return utilization;
  }

  #forgetReceived(): void {
    const now = this.activity.receivedHere;
    this.#onTheWay.splice(0, (now - this.#received) | 0);
    this.#received = now;
  }

  #answered(number: number): void {
    this.#waiting.get(number)?.();
    this.#waiting.delete(number);
  }
}
