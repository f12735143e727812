import { nameToBytes } from '../../core/name-bytes.ts';
import { unescapePercent } from '../payload/parse-query.ts';

/** Where a request leads. */
export type HookRoute =
  | { readonly kind: 'root' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'server' }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'hook'; readonly id: string };

/**
 * Finds where a request's target leads. A path that is not clean is redirected to the clean one, as Gorilla's router
 * does.
 *
 * @param prefix first part of the paths of hooks, without slashes around it; may be empty
 */
export function findRoute(target: string, prefix: string): HookRoute {
  if (target === '*') return { kind: 'server' };
  const relative = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const question = relative.indexOf('?');
  const rawPath = question < 0 ? relative : relative.slice(0, question);
  const path = unescapePercent(rawPath, false);
  const clean = cleanPath(path);
  if (clean !== path) {
    return {
      kind: 'redirect',
      location: escapePath(clean) + (question < 0 ? '' : relative.slice(question)),
    };
  }
  if (path === '/') return { kind: 'root' };
  const start = prefix === '' ? '/' : `/${prefix}/`;
  return path.startsWith(start)
    ? { kind: 'hook', id: path.slice(start.length) }
    : { kind: 'not-found' };
}

/** What stands behind the question mark of a target. */
export function queryOf(target: string): string {
  const question = target.indexOf('?');
  return question < 0 ? '' : target.slice(question + 1);
}

function cleanPath(path: string): string {
  if (path.startsWith('/') && !/\/(?:\/|\.)/.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const clean = `/${parts.join('/')}`;
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}

function escapePath(path: string): string {
  return nameToBytes(path)
    .toString('latin1')
    .replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, (char) => {
      return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
    });
}
