import { closeSync, write as writeAsync, writeSync, writevSync } from 'node:fs';
import { loadLibc } from '../../system/libc.ts';
import { ERRNO } from '../session/errno.ts';

const POLLIN = 1;
/** The longest wait for requests: a process that ends waits for the thread that does it. */
const WAIT_MS = 500;
/** How long this thread waits for the next request before another thread takes over, in nanoseconds. */
const BRIEF_NS = 60_000n;
const EFD_CLOEXEC = 0o2000000;

/** The channel of an open, non-blocking descriptor of `/dev/fuse`. It owns the descriptor. */
export function fuseDevice(libc: SystemCalls, fd: number): Device {
  const wake = libc.eventfd(0, EFD_CLOEXEC);
  const polled = pollSet(fd, wake);
  const brief = pollSet(fd);
  const limit = Buffer.alloc(16);
  limit.writeBigInt64LE(BRIEF_NS, 8);
  let waiting: Promise<void> | undefined;
  let notified: Promise<unknown> = Promise.resolve();
  let isClosing = false;
  let isClosed = false;

  return {
    read(into) {
      for (;;) {
        const length = libc.read(fd, into, into.length);
        if (length >= 0) return length;
        const errno = libc.errno();
        if (errno === ERRNO.EAGAIN) return 0;
        // ENOENT: the request was cancelled while it was read.
        if (errno !== ERRNO.EINTR && errno !== ERRNO.ENOENT) return -1;
      }
    },
    // A closed descriptor's number may be that of another file.
    write(message) {
      return !isClosed && libc.write(fd, message, message.length) >= 0;
    },
    writeParts(head, body) {
      if (isClosed) return false;
      try {
        writevSync(fd, [head, body]);
        return true;
      } catch {
        return false;
      }
    },
    async notify(message) {
      if (isClosing) return;
      const sent = new Promise<void>((resolve) => writeAsync(fd, message, () => resolve()));
      notified = Promise.all([notified, sent]);
      await sent;
    },
    waitBriefly() {
      return libc.ppoll(brief, 1, limit, null) > 0;
    },
    wait() {
      waiting ??= new Promise<void>((resolve) => {
        libc.poll.async(polled, 2, WAIT_MS, () => {
          waiting = undefined;
          resolve();
        });
      });
      return waiting;
    },
    close() {
      if (isClosing) return;
      isClosing = true;
      if (waiting !== undefined) writeSync(wake, Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]));
      // The descriptor that another thread uses must not become another file. A notification may wait for a response.
      void Promise.all([waiting, notified]).then(() => {
        isClosed = true;
        closeSync(wake);
        closeSync(fd);
      });
    },
  };
}

/** An array of `struct pollfd` for reading. */
function pollSet(...descriptors: readonly number[]): Buffer {
  const set = Buffer.alloc(8 * descriptors.length);
  descriptors.forEach((fd, i) => {
    set.writeInt32LE(fd, 8 * i);
    set.writeInt16LE(POLLIN, 8 * i + 4);
  });
  return set;
}

/** The channel to the kernel: it receives requests, and sends responses and notifications. */
export interface Device {
  /** Reads one request. Returns its length in bytes, 0 if none waits, -1 if the mount is gone. */
  read(into: Uint8Array): number;
  /** Sends a response. `false` if the kernel no longer waits for it. */
  write(message: Uint8Array): boolean;
  /** As `write`, for a head and a body. */
  writeParts(head: Uint8Array, body: Uint8Array): boolean;
  /** Sends a notification, from another thread: the kernel may hold it until a request is answered. */
  notify(message: Uint8Array): Promise<void>;
  /** Waits a few dozen microseconds for a request, with the thread idle; returns whether there is one. */
  waitBriefly(): boolean;
  /** Resolves when a request waits, and from time to time. */
  wait(): Promise<void>;
  /** Sends no further notifications; responses can be sent until the current ones have ended. */
  close(): void;
}

/** The system calls that Node lacks. Those that fail return -1, and set `errno`. */
export type SystemCalls = Readonly<Awaited<ReturnType<typeof loadSystemCalls>>>;

/** Loads the C library through koffi. Rejects if koffi is not available. */
export async function loadSystemCalls() {
  const { func, errno, address } = await loadLibc();
  const bytes = 'uint8_t *';
  return {
    read: func('read', 'long', ['int', bytes, 'size_t']),
    write: func('write', 'long', ['int', bytes, 'size_t']),
    poll: func('poll', 'int', [bytes, 'ulong', 'int']),
    ppoll: func('ppoll', 'int', [bytes, 'ulong', bytes, bytes]),
    fcntl: func('fcntl', 'int', ['int', 'int', 'int']),
    eventfd: func('eventfd', 'int', ['uint', 'int']),
    socket: func('socket', 'int', ['int', 'int', 'int']),
    socketpair: func('socketpair', 'int', ['int', 'int', 'int', bytes]),
    recvmsg: func('recvmsg', 'long', ['int', bytes, 'int']),
    sendto: func('sendto', 'long', ['int', bytes, 'size_t', 'int', bytes, 'uint']),
    mount: func('mount', 'int', [bytes, bytes, bytes, 'ulong', bytes]),
    errno,
    address,
  };
}
