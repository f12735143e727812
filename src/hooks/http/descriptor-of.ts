import type { Socket } from 'node:net';

/** The descriptor of an open connection. Node has it only in what it keeps for itself. */
export function descriptorOf(socket: Socket): number | undefined {
  const { _handle: handle } = socket as unknown as { _handle?: { readonly fd?: number } | null };
  const fd = handle?.fd ?? -1;
  return fd >= 0 ? fd : undefined;
}
