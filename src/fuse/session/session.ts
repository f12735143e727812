import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import type { MountOps } from '../../vfs/mount-ops.ts';
import type { Device } from '../device/fuse-device.ts';
import { INIT_SIZE, type InitWishes, negotiate, writeInit, writeVersion } from '../wire/init.ts';
import { OPCODE, opcodeName, type RequestReader } from '../wire/request-reader.ts';
import { Answers, DirStreams } from './answers.ts';
import { CallsInFlight, FuseCall, isDying } from './calls-in-flight.ts';
import { ERRNO, errnoOf, isEveryday } from './errno.ts';
import { HANDLERS, type HandlerParts } from './handlers.ts';
import { RequestLoop } from './request-loop.ts';

export interface SessionSettings extends InitWishes {
  /** How long the kernel may keep attributes and names, in milliseconds. */
  readonly attrTimeoutMs: number;
  /** Every file bypasses the page cache. */
  readonly directIo: boolean;
  /** Time limit of a request before the program gets ETIMEDOUT, in milliseconds; `undefined`: no limit. */
  readonly requestLimitMs: number | undefined;
  /** The only user besides root that is served; `undefined`: all users that the kernel permits. */
  readonly onlyUser: number | undefined;
  /** Every request is logged. */
  readonly logsRequests: boolean;
}

/** Requests that are handled for all users: they only release something. */
const FOR_ALL: readonly number[] = [OPCODE.flush, OPCODE.release, OPCODE.releaseDir];

/** Requests that make written data safe. They continue after the mount is gone. */
const SAVING: readonly number[] = [OPCODE.write, OPCODE.flush, OPCODE.sync, OPCODE.release];

/** A mount being served, from the kernel's INIT to the end of the mount. Closes the device at its end. */
export class Session {
  /** Resolves after the kernel's INIT: from then on the mount responds. */
  readonly ready: Promise<void>;
  /** Resolves when the mount is gone. Rejects if the kernel is too old, or the device fails. */
  readonly ended: Promise<void>;
  readonly #device: Device;
  readonly #ops: MountOps;
  readonly #settings: SessionSettings;
  readonly #emit: Emit;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #flight: CallsInFlight;
  readonly #answers: Answers;
  readonly #parts: HandlerParts;
  readonly #loop: RequestLoop;
  /** Running requests of `SAVING`. */
  readonly #saving = new Set<Promise<unknown>>();
  #isOver = false;

  constructor(device: Device, ops: MountOps, settings: SessionSettings, emit: Emit) {
    this.#device = device;
    this.#ops = ops;
    this.#settings = settings;
    this.#emit = emit;
    this.#flight = new CallsInFlight(isDying, settings.requestLimitMs, (call) => {
      this.#complain(call, 'late');
      this.#answers.error(call, ERRNO.ETIMEDOUT);
    });
    this.#answers = new Answers(device, this.#flight, settings);
    this.#parts = {
      ops,
      answers: this.#answers,
      dirs: new DirStreams(ops),
      writers: new Set(),
      agreed: { writeBackCache: false },
    };
    this.ready = this.#ready.promise;
    // A caller that waits only for the end does not wait for the start.
    this.ready.catch(() => {});
    this.ended = this.#ended.promise;
    this.#loop = new RequestLoop(device, {
      isIdle: () => this.#flight.size === 0,
      take: (request) => this.#take(request),
      end: (failure) => this.#end(failure),
    });
  }

  /** How many files are open for writing. */
  writers(): number {
    return this.#parts.writers.size;
  }

  /** Resolves when nothing is being written or closed any more, which the kernel does not wait for at an unmount. */
  async settled(): Promise<void> {
    while (this.#saving.size > 0) await Promise.all(this.#saving);
  }

  /** Stops serving immediately: programs on the mount then get ENOTCONN. Running writes are aborted. */
  stop(): void {
    this.#end();
    this.#flight.abortAll(gone());
  }

  #end(failure?: SyncerError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#loop.stop();
    this.#flight.abortAll(gone(), SAVING);
    this.#device.close();
    this.#ready.reject(failure ?? new SyncerError('other', 'the mount ended before it was ready'));
    if (failure === undefined) this.#ended.resolve();
    else this.#ended.reject(failure);
  }

  #take(request: RequestReader): void {
    const { opcode } = request;
    if (opcode === OPCODE.forget) this.#ops.forget(request.node, request.u64(0));
    else if (opcode === OPCODE.batchForget) {
      const count = request.u32(0);
      for (let i = 0, at = 8; i < count; i++, at += 16) {
        this.#ops.forget(request.u64(at), request.u64(at + 8));
      }
    } else if (opcode === OPCODE.interrupt) this.#flight.interrupt(request.u64(0));
    else if (opcode === OPCODE.init) this.#greet(request, this.#callOf(request));
    else if (opcode === OPCODE.destroy) this.#answers.done(this.#callOf(request));
    else this.#handle(request, this.#callOf(request));
  }

  #callOf({ unique, opcode, node, thread }: RequestReader): FuseCall {
    const since = this.#settings.requestLimitMs === undefined ? 0 : performance.now();
    const call = new FuseCall(unique, opcode, node, thread, since);
    this.#flight.add(call);
    return call;
  }

  #greet(request: RequestReader, call: FuseCall) {
    const answer = negotiate(request, this.#settings);
    if (answer === undefined) {
      this.#answers.error(call, ERRNO.EIO);
      const text = 'the kernel is too old: mount needs Linux 3.15 or newer';
      return this.#end(new SyncerError('other', text));
    }
    if (answer === 'higher-major') {
      writeVersion(this.#answers.buffer);
      this.#answers.raw(call, INIT_SIZE);
      return;
    }
    if (this.#settings.allowIdmap && !answer.allowIdmap) {
      this.#answers.error(call, ERRNO.EIO);
      const text = 'the kernel cannot map owners: --allow-idmap needs Linux 6.12 or newer';
      return this.#end(new SyncerError('other', text));
    }
    this.#parts.agreed = answer;
    writeInit(this.#answers.buffer, answer);
    this.#answers.raw(call, INIT_SIZE);
    this.#ready.resolve();
  }

  #handle(request: RequestReader, call: FuseCall) {
    const { opcode, node, unique } = call;
    if (this.#settings.logsRequests) {
      const fields = { name: opcodeName(opcode), inode: node, id: unique };
      this.#emit({ type: 'log', level: 'debug', code: 'fuse-request', fields });
    }
    const handler = HANDLERS[opcode];
    if (handler === undefined) return this.#answers.error(call, ERRNO.ENOSYS);
    const { onlyUser } = this.#settings;
    const isOwn = onlyUser === undefined || request.uid === 0 || request.uid === onlyUser;
    if (!isOwn && !FOR_ALL.includes(opcode)) return this.#answers.error(call, ERRNO.EACCES);
    const answered = handler(this.#parts, call, request).catch((thrown) => {
      const errno = errnoOf(call.abortReason ?? thrown);
      this.#answers.error(call, errno);
      if (isEveryday(errno)) return;
      this.#complain(call, thrown instanceof Error ? thrown : toSyncerError(thrown));
    });
    if (call.isAnswered) return;
    if (opcode === OPCODE.write) this.#loop.lend(answered);
    if (SAVING.includes(opcode)) {
      this.#saving.add(answered);
      void answered.then(() => this.#saving.delete(answered));
    }
    void answered.then(this.#loop.answeredLate);
  }

  #complain(call: FuseCall, error: Error | 'late'): void {
    const path = this.#ops.pathOf(call.node);
    const fields = { name: opcodeName(call.opcode), inode: call.node, error };
    const about = path === undefined ? {} : { path: path || '/' };
    this.#emit({ type: 'log', level: 'error', ...about, code: 'fuse-failed', fields });
  }
}

const gone = (): SyncerError => new SyncerError('interrupted', 'the mount is gone');
