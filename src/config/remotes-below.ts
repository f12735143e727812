import { SyncerError } from '../core/errors.ts';
import type { ConfigSections } from './ini-lines.ts';
import { formatRemoteSpec, parseRemoteSpec, type RemoteSpec } from './remote-spec.ts';
import { remoteKeyInEnvironment } from './remotes-in-environment.ts';

/**
 * A remote and all remotes that it leads to, each once: the target of an alias, the remote below a crypt, the upstreams
 * of a union, and those below them. Paths that cannot be parsed, and local ones, are left out.
 */
export function remotesBelow(
  top: RemoteSpec,
  config: ConfigSections,
  env: NodeJS.ProcessEnv,
): readonly RemoteSpec[] {
  const found = new Map<string, RemoteSpec>();
  const visit = (spec: RemoteSpec) => {
    const text = formatRemoteSpec({ ...spec, path: '' });
    if (spec.name === '' || found.has(text)) return;
    found.set(text, spec);
    for (const path of pathsOf(spec, config, env)) {
      const below = parsed(path);
      if (below !== undefined) visit(below);
    }
  };
  visit(top);
  return [...found.values()];
}

/** The paths that a remote reads, as they are written. */
export function pathsOf(
  { name, overrides }: RemoteSpec,
  config: ConfigSections,
  env: NodeJS.ProcessEnv,
): readonly string[] {
  const option = (key: string) =>
    overrides.get(key) ??
    remoteKeyInEnvironment(env, name, key)?.value ??
    config.get(name)?.get(key) ??
    '';
  const type = name.startsWith(':') ? name.slice(1) : option('type');
  const paths = [option('remote')];
  // A list with spaces between the words; a word with spaces is in quotes.
  for (const [, quoted, word = ''] of option('upstreams').matchAll(/"((?:[^"]|"")*)"|(\S+)/g)) {
    const upstream = quoted?.replaceAll('""', '"') ?? word;
    paths.push(type === 'combine' ? upstream.slice(upstream.indexOf('=') + 1) : upstream);
  }
  return paths.filter((path) => path !== '');
}

function parsed(path: string): RemoteSpec | undefined {
  try {
    return parseRemoteSpec(path);
  } catch (thrown) {
    if (thrown instanceof SyncerError) return undefined;
    throw thrown;
  }
}
