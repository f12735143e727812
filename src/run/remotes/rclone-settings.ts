import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { RcloneSettings } from '../../backends/backend.ts';
import { BACKENDS, OWN_BACKENDS } from '../../backends/index.ts';
import { OBSCURED_OPTIONS, rcloneToAsk } from '../../backends/rclone/index.ts';
import type { ConfigFile } from '../../config/config-file.ts';
import type { ConfigSections } from '../../config/ini-lines.ts';
import { obscure } from '../../config/obscure.ts';
import { kindOf, shownType } from '../../config/option-sources.ts';
import { formatRemoteSpec, type RemoteSpec } from '../../config/remote-spec.ts';
import { type RemoteReferences, withSecrets } from '../../config/secret-references.ts';
import type { CommandLine } from '../../shell/command-line/command.ts';
import { dumpForRclone } from '../../shell/log/dump-list.ts';
import { isReference } from '../../system/secret-reference.ts';

/** The flags that rclone heeds, too, in what it does for a run. */
const PASSED: ReadonlySet<string> = new Set(
  `bind buffer-size bwlimit bwlimit-file ca-cert checkers client-cert client-key client-pass contimeout disable-http2
   dump expect-continue-timeout header header-download header-upload http-proxy inplace low-level-retries
   max-connections multi-thread-chunk-size multi-thread-cutoff multi-thread-streams no-check-certificate no-gzip-encoding
   partial-suffix streaming-upload-cutoff timeout tpslimit tpslimit-burst transfers use-cookies user-agent`.split(
    /\s+/,
  ),
);

/** How rclone is started for a remote. Rejects with `config` if a reference to a secret stands for nothing. */
export async function rcloneSettings(opened: {
  readonly spec: RemoteSpec;
  readonly type: string;
  readonly line: CommandLine;
  readonly env: NodeJS.ProcessEnv;
  readonly config: ConfigSections;
  readonly file: ConfigFile;
  readonly references: Omit<RemoteReferences, 'remote'>;
}): Promise<RcloneSettings> {
  const { spec, type, line, env, config, file, references } = opened;
  const secrets = await secretVariables(sectionsBelow(spec, config), config, references);
  for (const [option, value] of spec.overrides) {
    if (OBSCURED_OPTIONS.has(option)) references.onSecret(value);
  }
  const overrides = new Map([...spec.overrides].filter(([key]) => !key.startsWith('global.')));
  const { program } = rcloneToAsk({ flags: line.flags, env });
  const key = createHash('sha256').update(JSON.stringify(secrets)).digest('hex');
  const own = {
    ...typeVariables(config),
    ...ownEnvironment(env),
    ...flagVariables(line),
    ...secrets,
  };
  return {
    spec: formatRemoteSpec({ name: spec.name, overrides, path: '' }),
    type: typeOfRclone(type),
    program,
    env: own,
    serverEnv: strictNames(own, config),
    key,
    configFile: file.path === undefined ? undefined : resolve(file.path),
    password: () => file.password(),
  };
}

/** The environment without the flags of rclone in it, but with the options of its remotes and backends. */
function ownEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const types = BACKENDS.flatMap(({ type, aliases = [] }) => [type, ...aliases]);
  const words = types.map((type) => type.replaceAll(/[- ]/g, '_').toUpperCase()).join('|');
  const passed = new RegExp(`^(?:CONFIG(?!_(?:PASS|DIR)$)|${words})_.`);
  const own: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(env)) {
    if (!/^(?:SYNCER|RCLONE)_/.test(name)) own[name] = value;
  }
  for (const prefix of ['RCLONE_', 'SYNCER_']) {
    for (const [name, value] of Object.entries(env)) {
      const rest = name.slice(prefix.length);
      if (name.startsWith(prefix) && passed.test(rest))
        own[`RCLONE_${knownToRclone(rest)}`] = /^CONFIG_.+_TYPE$/.test(rest)
          ? typeOfRclone(value ?? '')
          : value;
    }
  }
  return own;
}

/** The name that rclone has for a type. */
function typeOfRclone(type: string): string {
  const own = kindOf(type, OWN_BACKENDS);
  return own === undefined ? type : shownType(own);
}

/** The rest of the name of a variable that sets an option of a type, by rclone's name of the type. */
function knownToRclone(rest: string): string {
  const own = OWN_BACKENDS.find(({ type }) => rest.startsWith(`${type.toUpperCase()}_`));
  if (own === undefined) return rest;
  return `${shownType(own).toUpperCase()}${rest.slice(own.type.length)}`;
}

/** The types that rclone has other names for, as variables: of all remotes, as one rclone serves several. */
function typeVariables(config: ConfigSections): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, values] of config) {
    const type = values.get('type') ?? '';
    const known = typeOfRclone(type);
    if (known !== type) variables[optionVariable(name, 'type')] = known;
  }
  return variables;
}

/** The given flags as variables: unlike words, they are seen by no other user. */
function flagVariables({ variables, flagWords, backendFlags }: CommandLine) {
  const texts = new Map(variables.map(({ name, text }) => [name, text]));
  for (const word of flagWords) {
    const [, name = '', value = 'true'] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    texts.set(name, value);
  }
  const dump = dumpForRclone(texts.get('dump') ?? '');
  if (dump === undefined) texts.delete('dump');
  else texts.set('dump', dump);
  const passed = [...texts].filter(([name]) => PASSED.has(name));
  const all = [...passed, ...Object.entries(backendFlags)];
  return Object.fromEntries(
    all.map(([name, value]) => [
      `RCLONE_${knownToRclone(name.replaceAll('-', '_').toUpperCase())}`,
      value,
    ]),
  );
}

/**
 * Names that cannot be decrypted are errors, unless the user chose otherwise: a crypt with a wrong password has no
 * readable name, and would be an empty source.
 */
function strictNames(env: NodeJS.ProcessEnv, config: ConfigSections): NodeJS.ProcessEnv {
  if (env['RCLONE_CRYPT_STRICT_NAMES'] !== undefined) return {};
  const strict: NodeJS.ProcessEnv = { RCLONE_CRYPT_STRICT_NAMES: 'true' };
  for (const [name, values] of config) {
    const chosen = values.get('strict_names');
    const variable = optionVariable(name, 'strict_names');
    if (chosen !== undefined && env[variable] === undefined) strict[variable] = chosen;
  }
  return strict;
}

/** The sections that a remote reads: its own, and those that its options name, such as the remote below a crypt. */
function sectionsBelow(
  { name, overrides }: RemoteSpec,
  config: ConfigSections,
): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (values: Iterable<string>) => {
    for (const value of values) {
      for (const [other, below] of config) {
        const isNamed = value.includes(`${other}:`) || value.includes(`${other},`);
        if (!isNamed || found.has(other)) continue;
        found.add(other);
        visit(below.values());
      }
    }
  };
  visit([`${name}:`, ...overrides.values()]);
  return found;
}

/** The options that are references to secrets, as variables of rclone; passwords are obscured, as it expects them. */
async function secretVariables(
  sections: ReadonlySet<string>,
  config: ConfigSections,
  references: Omit<RemoteReferences, 'remote'>,
): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const remote of sections) {
    const options = [...(config.get(remote) ?? [])].filter(([, value]) => isReference(value));
    if (options.length === 0) continue;
    const clear = await withSecrets(Object.fromEntries(options), { ...references, remote });
    for (const [option, value] of Object.entries(clear))
      variables[optionVariable(remote, option)] = OBSCURED_OPTIONS.has(option)
        ? obscure(value)
        : value;
  }
  return variables;
}

/** The variables that set options of a remote for rclone. */
export function optionVariables(
  remote: string,
  options: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([option, value]) => [optionVariable(remote, option), value]),
  );
}

/** The variable of an option of a remote. Go's capitals are of one character each: that of `ß` is no `SS`. */
function optionVariable(remote: string, option: string): string {
  const capitals = [...`${remote}_${option.replaceAll('-', '_')}`].map((letter) => {
    const capital = letter.toUpperCase();
    return [...capital].length === 1 ? capital : letter;
  });
  return `RCLONE_CONFIG_${capitals.join('')}`;
}
