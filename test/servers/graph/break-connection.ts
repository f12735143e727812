import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Resets a connection; one with TLS, which cannot be reset, ends without a word. */
export function breakConnection(socket: Socket | null): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}
