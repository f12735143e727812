import { posix } from 'node:path';
import { SyncerError } from '../core/errors.ts';
import { parseRemoteSpec, type RemoteSpec } from './remote-spec.ts';

/** The type of a remote that stands for a path of another remote. */
export const ALIAS_TYPE = 'alias';

/**
 * Where a path of an alias leads; `target` is the alias's key `remote`. As in rclone the path cannot climb out
 * of what the alias stands for. Options of the alias's connection string hold for what it leads to.
 */
export function aliasTarget(alias: RemoteSpec, target: string | undefined): RemoteSpec {
  if (target === undefined || target === '') {
    throw new SyncerError(
      'config',
      `the alias "${alias.name}" does not say what for: set its key "remote"`,
    );
  }
  const to = withOptions(parseRemoteSpec(target), alias.overrides);
  if (alias.path === '') return to;
  const path = posix.join(
    to.path,
    posix.join('/', alias.path).slice(alias.path.startsWith('/') ? 0 : 1),
  );
  return { ...to, path: path === '.' ? '' : path };
}

/** Keys that belong to the alias itself. */
const OWN_KEYS = ['type', 'remote', 'description'];

function withOptions(to: RemoteSpec, options: RemoteSpec['overrides']): RemoteSpec {
  const passed = [...options].filter(([key]) => !OWN_KEYS.includes(key));
  if (passed.length === 0) return to;
  const name = to.name === '' ? ':local' : to.name;
  return { ...to, name, overrides: new Map([...to.overrides, ...passed]) };
}
