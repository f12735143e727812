import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { parseFlags } from '../../../../src/webhook/flag-table.ts';
import { Activity } from '../../../../src/webhook/http/connection.ts';
import { openListeners } from '../../../../src/webhook/start/open-listeners.ts';

/** Whether this machine has IPv6. */
async function hasIpv6(): Promise<boolean> {
  const server = createServer().listen(0, '::1');
  return await once(server, 'listening').then(
    () => server.close() === server,
    () => false,
  );
}

test.each([
  ['no address', []],
  ['all addresses of IPv4', ['-ip', '0.0.0.0']],
  ['an empty address', ['-ip', '']],
])('%s listens on IPv4 and IPv6', async (_, words) => {
  const flags = parseFlags([...words, '-port', '0']);
  const ready = new Promise<never>(() => {});
  const process = { env: {}, pid: 1 };
  const { shown, close } = await openListeners(flags, process, ready, new Activity());
  onTestFinished(() => void close());
  const [, ip, port] = /^(.*):(\d+)$/.exec(shown) ?? [];
  expect(ip).toBe(flags.ip);
  for (const host of ['127.0.0.1', ...((await hasIpv6()) ? ['::1'] : [])]) {
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    socket.destroy();
  }
});
