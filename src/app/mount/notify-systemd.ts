import { closeSync } from 'node:fs';
import type { Libc } from '../../fuse/device/libc.ts';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;

/** Tells systemd how the service is, by the protocol of sd_notify(3). Does nothing where systemd does not ask. */
export function notifySystemd(libc: Libc, env: NodeJS.ProcessEnv, state: string): void {
  const { NOTIFY_SOCKET: path } = env;
  if (path === undefined || !/^[/@]/.test(path)) return;
  const socket = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const address = socketAddress(path);
  const message = Buffer.from(state);
  libc.sendto(socket, message, message.length, 0, address, address.length);
  closeSync(socket);
}

/** `struct sockaddr_un`; a name that begins with `@` is one of the abstract name space. */
function socketAddress(path: string): Buffer {
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  const name = Buffer.from(path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`);
  return Buffer.concat([family, name]);
}
