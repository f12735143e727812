import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { SyncerError } from '../../core/errors.ts';
import { FUSERMOUNT, findProgram, noFusermount } from '../device/mounting.ts';

/** The system files that the check reads. */
export interface FuseSurroundings {
  readonly uid: number;
  readonly env: NodeJS.ProcessEnv;
  /** `/dev/fuse`. */
  readonly device: string;
  /** `/etc/fuse.conf`. */
  readonly settings: string;
}

/** Rejects with what is missing on this machine and how to get it, if a mount cannot succeed. */
export async function checkFuse(
  { uid, env, device, settings }: FuseSurroundings,
  allowOther: boolean,
): Promise<void> {
  if (process.platform !== 'linux') {
    throw new SyncerError('unsupported', 'mount works on Linux only');
  }
  try {
    await access(device, constants.R_OK | constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message =
      code === 'ENOENT'
        ? `${device} does not exist: load the kernel module (modprobe fuse), ` +
          `or start the container with --device ${device} --cap-add SYS_ADMIN`
        : `${device} cannot be opened by this user (${code}): it should have the mode 0666`;
    throw new SyncerError('other', message, { cause });
  }
  if (uid === 0) return;
  if ((await findProgram(FUSERMOUNT, env)) === undefined) throw noFusermount();
  if (allowOther && !(await allowsOthers(settings))) {
    throw new SyncerError(
      'other',
      `--allow-other is for root only, as ${settings} does not have the line user_allow_other: ` +
        'add it, or mount without --allow-other',
    );
  }
}

/** Whether every user may mount for others: `user_allow_other` of fuse.conf(5). */
export async function allowsOthers(settings: string): Promise<boolean> {
  try {
    return /^\s*user_allow_other\s*(#.*)?$/m.test(await readFile(settings, 'utf8'));
  } catch {
    return false;
  }
}
