#!/usr/bin/env node
// All syntax here is old, so that an old Node can say which one is needed; everything else is loaded after that.

/** The oldest Node that webhook runs on: major and minor version. */
const OLDEST_NODE = [24, 15] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// A signal that comes before the server has read its hooks changes nothing; it must not end the program.
for (const signal of ['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => {});

if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) {
  void import('./start/run-webhook.ts')
    .then(({ runWebhook }) => runWebhook(process.argv.slice(2), process))
    .then((code) => process.exit(code));
} else {
  const needed = OLDEST_NODE.join('.');
  const { execPath, versions } = process;
  process.stderr.write(`webhook needs Node ${needed} or newer; ${execPath} is ${versions.node}\n`);
  process.exitCode = 1;
}
