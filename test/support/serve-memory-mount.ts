import { loadSystemCalls } from '../../src/fuse/device/fuse-device.ts';
import { openDevice, unmountLazily } from '../../src/fuse/device/mounting.ts';
import { Session } from '../../src/fuse/session/session.ts';
import { lyingSizes } from './lying-sizes.ts';
import { type FoldingDirs, memoryMountOps } from './memory-mount-ops.ts';

// node test/support/serve-memory-mount.ts MOUNTPOINT [one|apart [NAME] | lying]: serves an empty file system in memory
// until it is unmounted. With `one` or `apart` names that differ only in case are one name, in directories of this name
// or all. With `lying` sizes are those of `lyingSizes`, and it also ends with its standard input.

const [, , mountPoint = '', how, folding = ''] = process.argv;
const isLying = how === 'lying';
const folds: FoldingDirs | undefined =
  how === 'one' || how === 'apart' ? { inodes: how, folds: (name) => name === folding } : undefined;
const request = {
  ...{
    mountPoint,
    source: 'memory:',
    subtype: isLying ? 'lying' : folds === undefined ? 'syncer' : 'folding',
    allowOther: false,
    options: [],
  },
  ...{ defaultPermissions: false, readOnly: false, allowNonEmpty: false },
};
const device = await openDevice(await loadSystemCalls(), request, process.env);
const ops = memoryMountOps(folds);
const session = new Session(
  device,
  isLying ? lyingSizes(ops) : ops,
  {
    ...{
      maxReadAhead: 131072,
      writeBackCache: false,
      asyncRead: true,
      allowIdmap: false,
      attrTimeoutMs: isLying || folds !== undefined ? 0 : 1000,
    },
    ...{ directIo: false, requestLimitMs: undefined, onlyUser: undefined, logsRequests: false },
  },
  (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
);
await session.ready;
if (isLying) {
  const end = () => void unmountLazily(mountPoint);
  process.stdin.resume().once('end', end);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
}
process.stdout.write('ready\n');
await session.ended;
process.stdout.write(`ended, ${ops.known()} known, ${ops.opened()} open\n`);
