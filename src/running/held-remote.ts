import { around } from '../core/around.ts';
import type { Capabilities, Remote } from '../core/remote.ts';
import type { RemoteLease } from './remote-lease.ts';

/**
 * The remote while a lock is held on it: nothing is changed once the lock is lost, or could be because the process stood
 * still.
 */
export function heldRemote(remote: Remote, lease: Pick<RemoteLease, 'check'>): Remote {
  const checked =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      lease.check();
      return call(...args);
    };
  return around(remote, {
    write: checked(remote.write.bind(remote)),
    delete: checked(remote.delete.bind(remote)),
    makeDir: checked(remote.makeDir.bind(remote)),
    deleteDir: checked(remote.deleteDir.bind(remote)),
    can: checkedAll(remote.can, lease),
  });
}

/** All of them: a check before a read does no harm, and a new one that changes something is checked, too. */
function checkedAll(can: Capabilities, lease: Pick<RemoteLease, 'check'>): Capabilities {
  const entries = Object.entries(can).map(([name, member]) => {
    if (typeof member !== 'function') return [name, member];
    const call = member as (...args: unknown[]) => unknown;
    const checked = (...args: unknown[]) => {
      lease.check();
      return call(...args);
    };
    return [name, checked];
  });
  return Object.fromEntries(entries) as Capabilities;
}
