import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { findCacheDir } from '../../config/config-path.ts';
import { dumpConfig, formatConfig, formatRemote } from '../../config/format-config.ts';
import { type ConfigSections, iniSections } from '../../config/ini-lines.ts';
import { kindOf } from '../../config/option-sources.ts';
import { type DescribedKind, providerRecord } from '../../config/provider-record.ts';
import { goJson } from '../../go/go-json.ts';
import {
  type ConfigJob,
  plainName,
  REMOTE_KINDS,
  type RunConfig,
  sectionOf,
} from './config-job.ts';

/** `syncer config file` */
export const showLocation: RunConfig = async ({ file: { path }, invocation: { out } }) => {
  if (path === undefined) return out.write('Configuration is in memory only\n');
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  const text = exists
    ? 'Configuration file is stored at:'
    : "Configuration file doesn't exist, but syncer will use this path:";
  return out.write(`${text}\n${path}\n`);
};

/** `syncer config paths` */
export const showPaths: RunConfig = async ({ file, invocation: { out, env, flags } }) => {
  const paths = [
    `Config file: ${file.path ?? ''}`,
    `Cache dir:   ${findCacheDir(env, flags['cache-dir']) ?? ''}`,
    `Temp dir:    ${tmpdir()}`,
  ];
  await out.write(`${paths.join('\n')}\n`);
};

/** `syncer config show` */
export const show: RunConfig = async (job) => {
  const lines = await job.file.read();
  const [name] = job.args;
  if (name === undefined) await job.invocation.out.write(formatConfig(lines));
  else await showRemote(job, plainName(name), iniSections(lines));
};

/** Prints one remote, its passwords hidden: those of `kind`, else of its type. Rejects with `unknown-remote`. */
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

/** `syncer config dump` */
export const dump: RunConfig = async ({ file, invocation: { out } }) => {
  await out.write(dumpConfig(iniSections(await file.read())));
};

/** `syncer config providers` */
export const showProviders: RunConfig = async ({ invocation: { out } }) => {
  await out.write(goJson(REMOTE_KINDS.map(providerRecord), '    '));
};
