import { formatRemoteSpec, parseRemoteSpec } from '../../config/remote-spec.ts';

/**
 * The same path of a local disk, under which symbolic links stand for what they lead to (`follow`), are files of
 * their own (`list`), or are left out, whatever the configuration says of them.
 */
export function withLinks(spec: string, how: 'follow' | 'list' | 'skip'): string {
  const { name, overrides, path } = parseRemoteSpec(spec);
  const links = [
    ['copy_links', String(how === 'follow')],
    ['links', String(how === 'list')],
  ] as const;
  return formatRemoteSpec({
    name: name === '' ? ':local' : name,
    overrides: new Map([...overrides, ...links]),
    path,
  });
}
