/** Environment variables for keys of the configuration: syncer's own names win over rclone's. */

export interface Variable {
  readonly name: string;
  readonly value: string;
  /** Where the file of defaults says so, instead of a variable. */
  readonly at?: string | undefined;
}

/** `SYNCER_<rest>` if it is set, else `RCLONE_<rest>`. */
function fromEnvironment(env: NodeJS.ProcessEnv, rest: string): Variable | undefined {
  for (const prefix of ['SYNCER_', 'RCLONE_']) {
    const name = prefix + rest;
    const value = env[name];
    if (value !== undefined) return { name, value };
  }
  return undefined;
}

/** `SYNCER_CONFIG_<NAME>_<KEY>`: the name in upper case, otherwise as it is. */
export function remoteKeyInEnvironment(env: NodeJS.ProcessEnv, remote: string, key: string) {
  return fromEnvironment(env, `CONFIG_${`${remote}_${key.replaceAll('-', '_')}`.toUpperCase()}`);
}

/** `SYNCER_<TYPE>_<OPTION>`: an option of all remotes of a backend. */
export function backendOptionInEnvironment(env: NodeJS.ProcessEnv, type: string, option: string) {
  return fromEnvironment(env, `${type}_${option}`.replaceAll('-', '_').toUpperCase());
}

/** Remotes that `SYNCER_CONFIG_<NAME>_TYPE` defines, in lower case; of a remote `x`, `X_DRIVE_TYPE` is a key. */
export function remotesInEnvironment(
  env: NodeJS.ProcessEnv,
  namesInFile: Iterable<string>,
  isType: (type: string) => boolean,
): readonly string[] {
  const defined = new Set(
    Object.keys(env).flatMap((variable) => {
      const name = /^(?:SYNCER|RCLONE)_CONFIG_(.+)_TYPE$/s.exec(variable)?.[1];
      return name === undefined ? [] : [name.toUpperCase()];
    }),
  );
  const known = new Set([...namesInFile].map((name) => name.toUpperCase()).concat(...defined));
  const isKey = (name: string) =>
    [...name.matchAll(/_/g)].some(({ index }) => index > 0 && known.has(name.slice(0, index))) &&
    !isType(fromEnvironment(env, `CONFIG_${name}_TYPE`)?.value ?? '');
  return [...defined].filter((name) => !isKey(name)).map((name) => name.toLowerCase());
}
