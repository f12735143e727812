/** Names of environment variables that stand for keys of the configuration. */

/** `SYNCER_CONFIG_<NAME>_<KEY>`: the name in upper case, otherwise as it is. */
export function remoteKeyVariable(remote: string, key: string): string {
  return `SYNCER_CONFIG_${`${remote}_${key.replaceAll('-', '_')}`.toUpperCase()}`;
}

/** `SYNCER_<TYPE>_<OPTION>`: an option of all remotes of a kind. */
export function backendOptionVariable(type: string, option: string): string {
  return `SYNCER_${`${type}_${option}`.replaceAll('-', '_').toUpperCase()}`;
}

/**
 * Names of remotes that `SYNCER_CONFIG_<NAME>_TYPE` defines, in lower case. `SYNCER_CONFIG_X_DRIVE_TYPE` sets the
 * key `drive_type` where a remote `x` is known and the value is no kind of storage.
 */
export function remotesInEnvironment(
  env: NodeJS.ProcessEnv,
  namesInFile: Iterable<string>,
  isType: (type: string) => boolean,
): readonly string[] {
  const defined = Object.keys(env).flatMap((variable) => {
    const name = /^SYNCER_CONFIG_(.+)_TYPE$/s.exec(variable)?.[1];
    return name === undefined ? [] : [name.toUpperCase()];
  });
  const known = new Set([...namesInFile].map((name) => name.toUpperCase()).concat(defined));
  const isKey = (name: string) =>
    prefixes(name).some((prefix) => known.has(prefix)) &&
    !isType(env[`SYNCER_CONFIG_${name}_TYPE`] ?? '');
  return defined.filter((name) => !isKey(name)).map((name) => name.toLowerCase());
}

/** What stands before each `_` of a name. */
function prefixes(name: string): readonly string[] {
  return [...name.matchAll(/_/g)].map((match) => name.slice(0, match.index)).filter(Boolean);
}
