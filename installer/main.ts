#!/usr/bin/env node
// All syntax here is old, so that an old Node can say which one is needed; everything else is loaded after that.

/** The oldest Node that webhook-installer runs on: major and minor version. */
const OLDEST_NODE = [24, 15] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) {
  // If Node exits because nothing is left to do, that is a failure.
  process.exitCode = 1;
  void import('./run-installer.ts')
    .then(({ startInstaller }) => startInstaller(process))
    .then((code) => process.exit(code));
} else {
  const needed = OLDEST_NODE.join('.');
  const { execPath, versions } = process;
  process.stderr.write(
    `webhook-installer needs Node ${needed} or newer; ${execPath} is ${versions.node}\n`,
  );
  process.exitCode = 1;
}
