import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { allowsOthers, type FuseSurroundings } from '../fuse/mounts/check-fuse.ts';
import { shellWord } from '../kit/shell-words.ts';
import type { ListedMount } from '../mount/list-mounts.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check.ts';

/** What mounts need, and those that exist. */
export interface MountSurroundings extends Omit<FuseSurroundings, 'env'> {
  /** The path of fusermount. */
  readonly findFusermount: () => Promise<string | undefined>;
  readonly mounts: () => Promise<readonly ListedMount[]>;
}

/** The checks of mounts. */
export async function* mountChecks(around: MountSurroundings): AsyncGenerator<CheckResult> {
  const { device, uid, findFusermount, mounts } = around;
  if (process.platform !== 'linux') return yield unknown('fuse', 'mount works on Linux only');
  yield await deviceCheck(device);
  const program = await findFusermount();
  if (program !== undefined) yield ok('fusermount', program);
  else if (uid === 0) yield ok('fusermount', 'not installed, and root does not need it');
  else {
    const text = 'fusermount3 is not installed: only root can mount';
    yield warning('fusermount', text, 'sudo apt install fuse3');
  }
  yield await allowOther(around);
  yield* deadMounts(await mounts());
}

/** Machines that mount nothing need no device. */
async function deviceCheck(device: string): Promise<CheckResult> {
  try {
    await access(device, constants.R_OK | constants.W_OK);
    return ok('fuse', device);
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing
      ? warning('fuse', `${device} does not exist: mount does not work`, 'sudo modprobe fuse')
      : warning('fuse', `${device} cannot be opened by this user`, `sudo chmod 666 ${device}`);
  }
}

async function allowOther({ uid, settings }: MountSurroundings): Promise<CheckResult> {
  const check = 'allow-other';
  if (uid === 0) return ok(check, 'root may use --allow-other');
  if (await allowsOthers(settings)) return ok(check, `${settings} has user_allow_other`);
  const mend = `echo user_allow_other | sudo tee -a ${settings}`;
  return ok(check, `only root may use --allow-other; to change that: ${mend}`);
}

function* deadMounts(mounts: readonly ListedMount[]): Generator<CheckResult> {
  const dead = mounts.filter(({ health }) => health === 'stale' || health === 'hung');
  if (dead.length === 0) {
    const live = mounts.filter(({ health }) => health === 'live').length;
    yield ok('mounts', live === 0 ? 'none' : `${live} respond`);
  }
  for (const { mountPoint, source, health } of dead) {
    const what =
      health === 'stale'
        ? `the process of the mount of ${source} on ${mountPoint} is gone`
        : `the mount of ${source} on ${mountPoint} does not respond`;
    yield failed('mounts', what, `fusermount3 -uz ${shellWord(mountPoint)}`);
  }
}
