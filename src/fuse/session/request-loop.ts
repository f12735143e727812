import { type SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Device } from '../device/fuse-device.ts';
import { MAX_WRITE } from '../wire/init.ts';
import { RequestReader } from '../wire/request-reader.ts';

/** The kernel requires room for the largest write, the header of a request and a little more. */
const BUFFER_SIZE = MAX_WRITE + 4096;
/** How many unused buffers are kept. */
const SPARE = 4;
/** After this many requests in a row other work of the process runs. */
const TURN = 64;

/** What the loop needs of its session. */
interface RequestTaker {
  /** Whether every request so far has its response. */
  isIdle(): boolean;
  take(request: RequestReader): void;
  /** The mount is gone, or cannot be served any more. */
  end(failure?: SyncerError): void;
}

/**
 * Reads requests one after the other until it is stopped. Work that a request allows to continue runs before the next
 * one is read. Without requests, the loop waits: briefly on this thread, then on another one.
 */
export class RequestLoop {
  readonly #device: Device;
  readonly #taker: RequestTaker;
  readonly #spare: RequestReader[] = [];
  #buffer = new RequestReader(BUFFER_SIZE);
  #isStopped = false;
  #burst = 0;
  #hasWorked = false;
  /** Another thread waits for requests. */
  #isWaiting = false;
  #waits = 0;

  constructor(device: Device, taker: RequestTaker) {
    this.#device = device;
    this.#taker = taker;
    setImmediate(this.#next);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Keeps the bytes of the current request until `used` settles; the next one gets another buffer. */
  lend(used: Promise<unknown>): void {
    const lent = this.#buffer;
    this.#buffer = this.#spare.pop() ?? new RequestReader(BUFFER_SIZE);
    const back = () => {
      if (this.#spare.length < SPARE) this.#spare.push(lent);
    };
    used.then(back, back);
  }

  /**
   * A request was answered late. Its program mostly sends another immediately, before the other thread could report
   * it.
   */
  readonly answeredLate = (): void => {
    const isLikely = this.#isWaiting && !this.#isStopped && this.#taker.isIdle();
    if (isLikely && this.#device.waitBriefly()) this.#wakeUp();
  };

  readonly #next = () => {
    if (this.#isStopped) return;
    const request = this.#buffer;
    const length = this.#device.read(request.buffer);
    if (length < 0) return this.#taker.end();
    if (length === 0) return this.#rest();
    if (request.begin(length)) this.#taker.take(request);
    this.#hasWorked = true;
    this.#goOn();
  };

  readonly #nextTick = (): void => process.nextTick(this.#next);

  /** Pending work continues in microtasks, all of which run before the next tick. */
  #goOn(): void {
    this.#burst++;
    if (this.#burst % TURN === 0) setImmediate(this.#next);
    else queueMicrotask(this.#nextTick);
  }

  /** No request waits. A program that just got a response mostly sends another immediately: worth a short wait. */
  #rest() {
    const isLikely = this.#hasWorked && this.#taker.isIdle();
    this.#hasWorked = false;
    if (isLikely && this.#device.waitBriefly()) return this.#goOn();
    const wait = ++this.#waits;
    this.#isWaiting = true;
    this.#device.wait().then(
      () => {
        if (wait === this.#waits) this.#wakeUp();
      },
      (thrown) => this.#taker.end(toSyncerError(thrown)),
    );
  }

  #wakeUp(): void {
    this.#waits++;
    this.#isWaiting = false;
    this.#next();
  }
}
