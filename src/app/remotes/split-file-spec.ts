import { formatRemoteSpec, parseRemoteSpec } from '../../config/remote-spec.ts';
import { SyncerError } from '../../core/errors.ts';

/**
 * Splits the path of a file, which need not exist: `remote:a/b` is `b` in `remote:a`. Throws `usage` for a directory
 * (`a/`, `remote:`, `..`).
 */
export function splitFileSpec(spec: string): { readonly dir: string; readonly leaf: string } {
  const parsed = parseRemoteSpec(spec);
  const { path } = parsed;
  const slash = path.lastIndexOf('/');
  const leaf = path.slice(slash + 1);
  if (leaf === '' || leaf === '.' || leaf === '..') {
    throw new SyncerError('usage', `"${spec}" is a directory, not a file`);
  }
  const here = parsed.name === '' ? '.' : '';
  const dir = slash < 0 ? here : slash === 0 ? '/' : path.slice(0, slash);
  return { dir: formatRemoteSpec({ ...parsed, path: dir }), leaf };
}
