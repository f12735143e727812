import { loadLibc as loadLibrary } from '../../system/libc.ts';

/** A function of the C library. */
interface CFunction {
  (...args: unknown[]): number;
  /** Calls it in another thread; the last argument takes an error or the result. */
  async(...args: unknown[]): void;
}

/** The system calls that Node lacks. Those that fail return -1, and set `errno`. */
export interface SystemCalls {
  readonly read: CFunction;
  readonly write: CFunction;
  readonly poll: CFunction;
  readonly ppoll: CFunction;
  readonly fcntl: CFunction;
  readonly eventfd: CFunction;
  readonly socket: CFunction;
  readonly socketpair: CFunction;
  readonly recvmsg: CFunction;
  readonly sendto: CFunction;
  readonly mount: CFunction;
  /** The error of the last call; read it before any other call. */
  errno(): number;
  /** The address of bytes in memory: the caller keeps them from the garbage collector. */
  address(bytes: Uint8Array): bigint;
}

/** Loads the C library through koffi. Rejects if koffi is not available. */
export async function loadSystemCalls(): Promise<SystemCalls> {
  const library = await loadLibrary();
  const func = (name: string, result: string, parameters: readonly string[]) =>
    library.func(name, result, parameters) as CFunction;
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
    errno: library.errno,
    address: library.address,
  };
}
