/** The descriptors of the sockets that systemd opened for the process `pid`, by the variables of sd_listen_fds(3). */
export function systemdSockets(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): number[] {
  const count = Number(env['LISTEN_FDS'] ?? '0');
  if (env['LISTEN_PID'] !== String(pid) || !Number.isInteger(count) || count < 1) return [];
  return Array.from({ length: count }, (_, i) => 3 + i);
}
