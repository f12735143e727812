import { posix } from 'node:path';
import { SyncerError } from '../core/errors.ts';
import { DESCRIPTION } from '../core/options.ts';
import { parseRemoteSpec, type RemoteSpec } from './remote-spec.ts';

/** The type of a remote that stands for a path of another remote. */
export const ALIAS_TYPE = 'alias';

/** The remote type for a path of another remote. It has options, but no backend of its own. */
export const ALIAS_KIND = {
  type: ALIAS_TYPE,
  group: 'Over another remote',
  summary: 'Another name for a path of a remote',
  options: [
    {
      name: 'remote',
      type: 'string',
      required: true,
      isPath: true,
      help: 'The path it stands for: "remote:path/to/dir", "remote:bucket", "remote:" or "/local/path".',
    },
    { ...DESCRIPTION, isAsked: false },
  ],
} as const;

/**
 * The target of a path in an alias; `target` is the alias's key `remote`. As in rclone, the path cannot leave the
 * target, and options of the alias's connection string do not apply to it, except `override.…` and `global.…`.
 */
export function aliasTarget(alias: RemoteSpec, target: string | undefined): RemoteSpec {
  if (target === undefined || target === '') {
    const text = `the alias "${alias.name}" has no target: set its key "remote"`;
    throw new SyncerError('config', text);
  }
  const to = parseRemoteSpec(target);
  if (alias.path === '') return to;
  const below = posix.join('/', alias.path).slice(alias.path.startsWith('/') ? 0 : 1);
  const path = posix.join(to.path, below);
  return { ...to, path: path === '.' ? '' : path };
}

/** The names of aliases of the remote `name`. */
export function leadingTo(config: ReadonlyMap<string, ReadonlyMap<string, string>>, name: string) {
  return [...config]
    .filter(([, values]) => /^([^:,]+)[:,]/.exec(values.get('remote') ?? '')?.[1] === name)
    .map(([other]) => other);
}
