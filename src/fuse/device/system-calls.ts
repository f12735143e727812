import { loadLibc } from '../../system/libc.ts';

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
