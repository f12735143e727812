import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { OptionRecord } from '../../src/backends/rclone/providers.ts';
import { runRclone, toLog } from '../../src/backends/rclone/rclone-program.ts';
import { findCacheDir } from '../../src/config/config-path.ts';
import {
  type ConfigSections,
  type IniLine,
  iniSections,
  trimBlanks,
} from '../../src/config/ini-lines.ts';
import { type BackendKind, isPassword, kindOf } from '../../src/config/option-sources.ts';
import {
  ACCOUNT_KEYS,
  type DescribedKind,
  providerRecord,
} from '../../src/config/provider-record.ts';
import { hasCode } from '../../src/core/errors.ts';
import { compareNames } from '../../src/core/name-order.ts';
import { goJson } from '../../src/go/go-json.ts';
import { isSecretName, withoutUrlSecrets } from '../../src/shell/log/secret-fields.ts';
import { isReference } from '../../src/system/secret-reference.ts';
import {
  type ConfigJob,
  kindWithOptions,
  plainName,
  REMOTE_KINDS,
  type RunConfig,
  sectionOf,
  wrongName,
} from './config-job.ts';

export const showLocation: RunConfig = async ({ file: { path }, invocation: { out } }) => {
  if (path === undefined) return out.write('Configuration is in memory only\n');
  const text = existsSync(path)
    ? 'Configuration file is stored at:'
    : "Configuration file doesn't exist, but syncer will use this path:";
  return out.write(`${text}\n${path}\n`);
};

export const showPaths: RunConfig = async ({ file, invocation: { out, env, flags } }) => {
  const paths = [
    `Config file: ${file.path ?? ''}`,
    `Cache dir:   ${findCacheDir(env, flags['cache-dir']) ?? ''}`,
    `Temp dir:    ${tmpdir()}`,
  ];
  await out.write(`${paths.join('\n')}\n`);
};

export const show: RunConfig = async (job) => {
  const lines = await job.file.read();
  const [name] = job.args;
  if (name === undefined) await job.invocation.out.write(formatConfig(lines));
  else await showRemote(job, plainName(name), iniSections(lines));
};

/** Prints one remote, its passwords hidden: those of `kind`, else of its type. Rejects with `command-line`. */
export async function showRemote(
  job: ConfigJob,
  name: string,
  config: ConfigSections,
  kind?: DescribedKind,
): Promise<void> {
  const values = sectionOf(job, config, name);
  const described = kind ?? kindOf(values.get('type') ?? '', REMOTE_KINDS);
  await job.invocation.out.write(formatRemote(name, values, described));
}

export const redacted: RunConfig = async (job) => {
  const config = iniSections(await job.file.read());
  const [given] = job.args;
  const names = given === undefined ? [...config.keys()].sort(compareNames) : [plainName(given)];
  const sections: string[] = [];
  for (const name of names) {
    const values = sectionOf(job, config, name);
    const kind = await kindWithOptions(values.get('type') ?? '', job.kinds);
    const shown = [...values].map(([key, value]): [string, string] => {
      if (value === '' || isReference(value)) return [key, value];
      return [key, isSensitive(key, kind) ? 'XXX' : withoutUrlSecrets(value)];
    });
    sections.push(formatRemote(name, new Map(shown), undefined));
  }
  const text = sections.join('\n') || '; empty config\n';
  const advice = '### Double check the config for sensitive info before posting publicly';
  await job.invocation.out.write(`${text}${advice}\n`);
};

/** Whether a value does not belong into a public post: secrets, accounts, and all of an unknown backend but its type. */
function isSensitive(key: string, kind: DescribedKind | undefined): boolean {
  if (key === 'type' || key === 'description') return false;
  if (kind === undefined || isSecretName(key) || ACCOUNT_KEYS.has(key.toLowerCase())) return true;
  if (kind.isOfRclone) {
    const options = (kind.record?.['Options'] ?? []) as readonly OptionRecord[];
    const option = options.find(({ Name }) => Name === key);
    return option === undefined || option['Sensitive'] !== false || option['IsPassword'] === true;
  }
  const option = kind.options.find(({ name }) => name === key);
  return option?.secret === true || option?.obscured === true;
}

export const showString: RunConfig = async ({ args: [spec = ''], invocation }) => {
  const { out, remotes } = invocation;
  let text: string;
  try {
    const settings = await remotes.rcloneSettings(spec);
    text =
      settings === undefined
        ? `${await remotes.connectionString(spec)}\n`
        : await runRclone(settings, ['config', 'string', '--', spec], toLog(invocation));
  } catch (thrown) {
    throw hasCode(thrown, 'unknown-remote', 'config', 'usage') ? wrongName(thrown) : thrown;
  }
  await out.write(text);
};

export const showProviders: RunConfig = async ({ kinds, invocation: { out } }) => {
  const asked = (await kinds()).filter(({ isOfRclone, record }) => !isOfRclone || record);
  await out.write(goJson(asked.map(providerRecord), '    '));
};

/** The whole configuration as rclone prints it: with comments, and an empty line after each section. */
export function formatConfig(lines: readonly IniLine[]): string {
  let text = '';
  let comments = '';
  for (const line of lines) {
    if (line.kind === 'comment') comments += `${trimBlanks(line.raw)}\n`;
    if (line.kind !== 'header' && line.kind !== 'pair') continue;
    if (line.kind === 'header' && text !== '') text += '\n';
    text += comments;
    comments = '';
    text += line.kind === 'header' ? `[${line.section}]\n` : `${line.key} = ${line.value}\n`;
  }
  if (text === '') return `${comments}; empty config\n`;
  return `${text}${comments}\n`;
}

/** One section as rclone prints it, without obscured passwords. */
export function formatRemote(
  name: string,
  values: ReadonlyMap<string, string>,
  backend: BackendKind | undefined,
): string {
  const lines = [...values].map(([key, value]) =>
    value !== '' && isPassword(backend, key) && !isReference(value)
      ? `${key} = *** ENCRYPTED ***\n`
      : `${key} = ${value}\n`,
  );
  return `[${name}]\n${lines.join('')}`;
}

/** All sections as one JSON object with sorted names and keys, to the byte as in rclone. */
export function dumpConfig(sections: ConfigSections): string {
  const object = [...sections].map(([name, values]) => [name, sorted(values)] as const);
  return goJson(sorted(new Map(object)), '    ');
}

function sorted<V>(map: ReadonlyMap<string, V>): ReadonlyMap<string, V> {
  return new Map([...map].sort(([a], [b]) => compareNames(a, b)));
}
