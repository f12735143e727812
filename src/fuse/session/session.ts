import { SyncerError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import type { MountOps } from '../../vfs/mount-ops.ts';
import type { Device } from '../device/device.ts';
import { INIT_SIZE, type InitWishes, negotiate, writeInit, writeVersion } from '../wire/init.ts';
import { OPCODE, opcodeName } from '../wire/opcodes.ts';
import type { RequestReader } from '../wire/request-reader.ts';
import { Answers } from './answers.ts';
import { ATTRIBUTE_HANDLERS } from './attribute-handlers.ts';
import { FuseCall } from './call.ts';
import { CallsInFlight } from './calls-in-flight.ts';
import { DIR_HANDLERS } from './dir-handlers.ts';
import { DirStreams } from './dir-streams.ts';
import { ERRNO, errnoOf, isEveryday } from './errno.ts';
import { FILE_HANDLERS } from './file-handlers.ts';
import type { HandlerParts, HandlerTable } from './handler.ts';
import { isDying } from './is-dying.ts';
import { NAME_HANDLERS } from './name-handlers.ts';
import { FuseBuffers } from './request-buffers.ts';

/** How a mount is served. */
export interface SessionSettings extends InitWishes {
  /** How long the kernel may keep attributes and names, in milliseconds. */
  readonly attrTimeoutMs: number;
  /** Every file goes past the page cache. */
  readonly directIo: boolean;
  /** How long a request may take before the program gets ETIMEDOUT, in milliseconds; `undefined`: no limit. */
  readonly requestLimitMs: number | undefined;
  /** The only user besides root that is served; `undefined`: all whom the kernel lets through. */
  readonly onlyUser: number | undefined;
  /** Every request is logged. */
  readonly logsRequests: boolean;
}

/** A mount that is being served. */
export interface Session {
  /** Resolves when the kernel has greeted: from then on the mount answers. */
  readonly ready: Promise<void>;
  /** Resolves when the mount is gone. Rejects where the kernel is too old. */
  readonly ended: Promise<void>;
  /** How many files are open to be written. */
  writers(): number;
  /**
   * Resolves when nothing is being written or closed any more. The kernel asks for a file to be closed without waiting
   * for it: the mount may be gone while that goes on.
   */
  settled(): Promise<void>;
  /** Stops serving at once: programs on the mount then get ENOTCONN. What is still being written is aborted. */
  stop(): void;
}

const HANDLERS: HandlerTable = {
  ...NAME_HANDLERS,
  ...FILE_HANDLERS,
  ...ATTRIBUTE_HANDLERS,
  ...DIR_HANDLERS,
};

/** Requests that are answered even to users that are not served: they only undo. */
const FOR_ALL: readonly number[] = [OPCODE.flush, OPCODE.release, OPCODE.releaseDir];

/** Requests by which what was written becomes safe. They go on when the mount goes. */
const SAVING: readonly number[] = [OPCODE.write, OPCODE.flush, OPCODE.sync, OPCODE.release];

/** After so many requests in a row other work of the process has its turn. */
const TURN = 64;

/** Serves the requests of the kernel from `device`, which it closes at the end, by the operations of a file system. */
export function startSession(
  device: Device,
  ops: MountOps,
  settings: SessionSettings,
  emit: Emit,
): Session {
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const buffers = new FuseBuffers();
  const flight = new CallsInFlight(isDying, settings.requestLimitMs, (call) => {
    complain(call, 'took too long');
    answers.error(call, ERRNO.ETIMEDOUT);
  });
  const answers = new Answers(device, flight, settings);
  const parts: HandlerParts = {
    ...{ ops, answers, dirs: new DirStreams(ops), writers: new Set() },
    agreed: { writeBackCache: false },
  };
  /** Those of `SAVING` that run. */
  const saving = new Set<Promise<unknown>>();
  let isOver = false;
  let burst = 0;
  let hasWorked = false;
  /** Another thread waits for requests; counts these waits, and their ends. */
  let isWaiting = false;
  let waits = 0;

  const log = (level: 'error' | 'debug', message: string, error?: SyncerError) =>
    emit({ type: 'log', level, message, ...(error === undefined ? {} : { error }) });

  const end = (failure?: SyncerError) => {
    if (isOver) return;
    isOver = true;
    flight.abortAll(gone(), SAVING);
    device.close();
    ready.reject(failure ?? new SyncerError('other', 'the mount went before it answered'));
    if (failure === undefined) ended.resolve();
    else ended.reject(failure);
  };

  /** One request, then whatever could go on because of it, then the next. */
  const next = () => {
    if (isOver) return;
    const request = buffers.current;
    const length = device.read(request.buffer);
    if (length < 0) return end();
    if (length === 0) return rest();
    if (request.begin(length)) take(request);
    hasWorked = true;
    goOn();
  };
  const nextTick = () => process.nextTick(next);

  /** What could go on does so in microtasks, all of which run before the next tick. */
  const goOn = () => {
    burst++;
    if (burst % TURN === 0) setImmediate(next);
    else queueMicrotask(nextTick);
  };

  /** Nothing waits. A program that was just answered mostly asks again at once: worth a moment of waiting for it. */
  const rest = () => {
    const isLikely = hasWorked && flight.size === 0;
    hasWorked = false;
    if (isLikely && device.waitBriefly()) return goOn();
    const wait = ++waits;
    isWaiting = true;
    void device.wait().then(() => {
      if (wait === waits) wakeUp();
    });
  };

  const wakeUp = () => {
    waits++;
    isWaiting = false;
    next();
  };

  /** Who waited long for an answer asks again at once as well: sooner than the other thread could tell of it. */
  const afterLate = () => {
    if (isWaiting && !isOver && flight.size === 0 && device.waitBriefly()) wakeUp();
  };

  const take = (request: RequestReader) => {
    const { opcode, unique } = request;
    switch (opcode) {
      case OPCODE.forget:
        return ops.forget(request.node, request.u64(0));
      case OPCODE.batchForget:
        return forgetMany(ops, request);
      case OPCODE.interrupt:
        return flight.interrupt(request.u64(0));
      case OPCODE.init:
        return greet(request, callOf(request));
      case OPCODE.destroy:
        return answers.done(callOf(request));
      default:
        if (settings.logsRequests)
          log('debug', `fuse: ${opcodeName(opcode)} ${request.node} #${unique}`);
        return work(request, callOf(request));
    }
  };

  const callOf = (request: RequestReader) => {
    const { unique, opcode, node, thread } = request;
    const call = new FuseCall(unique, opcode, node, thread, limitNow());
    flight.add(call);
    return call;
  };
  const limitNow = settings.requestLimitMs === undefined ? () => 0 : () => performance.now();

  const greet = (request: RequestReader, call: FuseCall) => {
    const answer = negotiate(request, settings);
    if (answer === undefined) {
      answers.error(call, ERRNO.EIO);
      return end(
        new SyncerError('other', 'the kernel is too old: mount needs Linux 3.15 or newer'),
      );
    }
    if (answer === 'higher-major') {
      writeVersion(answers.buffer);
      return void answers.raw(call, INIT_SIZE);
    }
    parts.agreed = answer;
    writeInit(answers.buffer, answer);
    answers.raw(call, INIT_SIZE);
    ready.resolve();
  };

  const work = (request: RequestReader, call: FuseCall) => {
    const handler = HANDLERS[call.opcode];
    if (handler === undefined) return answers.error(call, ERRNO.ENOSYS);
    if (!isServed(request)) return answers.error(call, ERRNO.EACCES);
    const answered = handler(parts, call, request).catch((thrown) => fail(call, thrown));
    if (call.isAnswered) return;
    if (call.opcode === OPCODE.write) buffers.lend(answered);
    if (SAVING.includes(call.opcode)) {
      saving.add(answered);
      void answered.then(() => saving.delete(answered));
    }
    void answered.then(afterLate);
  };

  const isServed = ({ uid, opcode }: RequestReader) =>
    settings.onlyUser === undefined ||
    uid === 0 ||
    uid === settings.onlyUser ||
    FOR_ALL.includes(opcode);

  const fail = (call: FuseCall, thrown: unknown) => {
    const errno = errnoOf(call.abortReason ?? thrown);
    answers.error(call, errno);
    if (isEveryday(errno)) return;
    const cause = thrown instanceof SyncerError ? thrown : undefined;
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    complain(call, text, cause);
  };

  const complain = (call: FuseCall, text: string, error?: SyncerError) => {
    const path = ops.pathOf(call.node);
    const what = opcodeName(call.opcode);
    if (path === undefined) return log('error', `${what} of inode ${call.node}: ${text}`, error);
    // Errors mostly begin with the path themselves.
    const plain = text.startsWith(`${path}: `) ? text.slice(path.length + 2) : text;
    const cause = error === undefined ? {} : { error };
    emit({
      type: 'log',
      level: 'error',
      path: path || '/',
      message: `${what}: ${plain}`,
      ...cause,
    });
  };

  setImmediate(next);
  // Whoever waits for the end only must not be told of a start that nobody waits for.
  ready.promise.catch(() => {});
  return {
    ready: ready.promise,
    ended: ended.promise,
    writers: () => parts.writers.size,
    settled: async () => {
      while (saving.size > 0) await Promise.all(saving);
    },
    stop: () => {
      end();
      flight.abortAll(gone());
    },
  };
}

function gone(): SyncerError {
  return new SyncerError('interrupted', 'the mount is gone');
}

function forgetMany(ops: MountOps, request: RequestReader): void {
  const count = request.u32(0);
  for (let i = 0, at = 8; i < count; i++, at += 16)
    ops.forget(request.u64(at), request.u64(at + 8));
}
