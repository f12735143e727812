import { formatRemoteSpec, parseRemoteSpec } from '../../config/remote-spec.ts';

/** The same path of a local disk, under which symbolic links stand for what they lead to. */
export function throughLinks(spec: string): string {
  const { name, overrides, path } = parseRemoteSpec(spec);
  return formatRemoteSpec({
    name: name === '' ? ':local' : name,
    overrides: new Map([...overrides, ['copy_links', 'true'], ['links', 'false']]),
    path,
  });
}
