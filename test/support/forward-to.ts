import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Another address of a server. */
export interface Forward {
  readonly endpoint: string;
  /** Passes nothing on any more, and closes nothing: as a network that is gone. */
  silence(): void;
  close(): void;
}

/** Opens one on loopback: every connection goes on to that port. */
export async function forwardTo(port: number): Promise<Forward> {
  const open = new Set<Socket>();
  let isSilent = false;
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    for (const socket of [from, to]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => open.delete(socket));
    }
    if (!isSilent) from.pipe(to).pipe(from);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    silence() {
      isSilent = true;
      for (const socket of open) socket.unpipe().pause();
    },
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
