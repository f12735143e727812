import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Command, Invocation } from '../src/app/command.ts';
import { nearestName } from '../src/app/command-line/nearest-name.ts';
import { BACKENDS } from '../src/backends/index.ts';
import type { ConfigFile } from '../src/config/config-file.ts';
import { cacheDir } from '../src/config/config-path.ts';
import { createRemote, parsePairs, storedValues, updateRemote } from '../src/config/edit-remote.ts';
import { deleteIniSection } from '../src/config/ini-edit.ts';
import { type ConfigSections, iniSections } from '../src/config/ini-lines.ts';
import { isKnownType, kindOf } from '../src/config/option-sources.ts';
import { checkRemoteName } from '../src/config/remote-name.ts';
import { dumpConfig, formatConfig, formatRemote } from '../src/config/show-config.ts';
import { unknownRemote, unknownType } from '../src/config/unknown-name.ts';
import { openUserConfig } from '../src/config/user-config.ts';
import { SyncerError } from '../src/core/errors.ts';

/** `syncer config file`, `show`, `dump`, `paths`, `touch`, `create`, `update` and `delete` */
export const configCommand: Command = { run };

/** What a subcommand works with; `args` are those behind its name. */
interface Job {
  readonly file: ConfigFile;
  readonly args: readonly string[];
  readonly invocation: Invocation;
}

interface Subcommand {
  readonly usage: string;
  /** Fewest and most arguments. */
  readonly args: readonly [min: number, max: number];
  readonly run: (job: Job) => Promise<void>;
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  file: { usage: '', args: [0, 0], run: showLocation },
  show: { usage: ' [name]', args: [0, 1], run: show },
  dump: { usage: '', args: [0, 0], run: dump },
  paths: { usage: '', args: [0, 0], run: showPaths },
  touch: { usage: '', args: [0, 0], run: touch },
  create: { usage: ' name type [key=value | key value]…', args: [2, 256], run: create },
  update: { usage: ' name [key=value | key value]…', args: [1, 256], run: update },
  delete: { usage: ' name', args: [1, 1], run: remove },
};

async function run(invocation: Invocation): Promise<void> {
  const [name, ...args] = invocation.args;
  const names = Object.keys(SUBCOMMANDS).join(', ');
  if (name === undefined) {
    throw new SyncerError('usage', `say what to do with the configuration: config ${names}`);
  }
  const subcommand = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (subcommand === undefined) {
    const near = nearestName(name, Object.keys(SUBCOMMANDS));
    const hint = near === undefined ? `it knows ${names}` : `did you mean ${near}?`;
    throw new SyncerError('usage', `config does not know "${name}": ${hint}`);
  }
  const [min, max] = subcommand.args;
  if (args.length < min || args.length > max) {
    throw new SyncerError('usage', `usage: syncer config ${name}${subcommand.usage}`);
  }
  const { flags, env, context } = invocation;
  await subcommand.run({ file: openUserConfig(flags, env, context.emit), args, invocation });
}

async function showLocation({ file: { path }, invocation: { out } }: Job): Promise<void> {
  if (path === undefined) return out.write('Configuration is in memory only\n');
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  const text = exists
    ? 'Configuration file is stored at:'
    : "Configuration file doesn't exist, but syncer will use this path:";
  return out.write(`${text}\n${path}\n`);
}

async function showPaths({ file, invocation: { out, env } }: Job): Promise<void> {
  const paths = [
    `Config file: ${file.path ?? ''}`,
    `Cache dir:   ${cacheDir(env)}`,
    `Temp dir:    ${tmpdir()}`,
  ];
  await out.write(`${paths.join('\n')}\n`);
}

async function show(job: Job): Promise<void> {
  const lines = await job.file.read();
  const [name] = job.args;
  if (name === undefined) await job.invocation.out.write(formatConfig(lines));
  else await showRemote(job, plainName(name), iniSections(lines));
}

async function showRemote(job: Job, name: string, config: ConfigSections): Promise<void> {
  const values = config.get(name);
  if (values === undefined) throw unknownRemote(name, knownNames(job, config));
  const backend = kindOf(values.get('type') ?? '', BACKENDS);
  await job.invocation.out.write(formatRemote(name, values, backend));
}

async function dump({ file, invocation: { out } }: Job): Promise<void> {
  await out.write(dumpConfig(iniSections(await file.read())));
}

async function touch({ file }: Job): Promise<void> {
  await file.update((lines) => lines);
}

async function create(job: Job): Promise<void> {
  const [given = '', type = '', ...rest] = job.args;
  const name = plainName(given);
  checkRemoteName(name);
  const values = valuesFor(job, name, type, parsePairs(rest));
  const lines = await job.file.update((now) => createRemote(now, name, type, values));
  await showRemote(job, name, iniSections(lines));
}

async function update(job: Job): Promise<void> {
  const [given = '', ...rest] = job.args;
  const name = plainName(given);
  const lines = await job.file.update((now) => {
    const config = iniSections(now);
    const section = config.get(name);
    if (section === undefined) throw unknownRemote(name, knownNames(job, config));
    const pairs = parsePairs(rest);
    const type = pairs.get('type') ?? section.get('type') ?? '';
    return updateRemote(now, name, valuesFor(job, name, type, pairs));
  });
  await showRemote(job, name, iniSections(lines));
}

async function remove({ file, args, invocation }: Job): Promise<void> {
  const name = plainName(args[0] ?? '');
  let existed = false;
  await file.update((lines) => {
    existed = iniSections(lines).has(name);
    return deleteIniSection(lines, name);
  });
  if (existed) return;
  const message = `There is no remote "${name}": nothing was deleted`;
  invocation.context.emit({ type: 'log', level: 'notice', message });
}

/** The values to store; keys that the type does not know are stored as well, but told. */
function valuesFor(
  job: Job,
  name: string,
  type: string,
  pairs: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (type === '')
    throw new SyncerError('config', `remote "${name}" has no "type": set it as well`);
  if (!isKnownType(type, BACKENDS)) throw unknownType(name, type, knownNames(job, new Map()));
  const backend = kindOf(type, BACKENDS);
  const values = storedValues(pairs, backend);
  for (const key of values.keys()) {
    if (backend === undefined || key === 'type') continue;
    if (backend.options.some((option) => option.name === key)) continue;
    const message = `${type} has no option "${key}": syncer stores it and does not use it`;
    job.invocation.context.emit({ type: 'log', level: 'notice', message });
  }
  return values;
}

function knownNames({ file, invocation: { env } }: Job, config: ConfigSections) {
  return { config, configPath: file.path, env, backends: BACKENDS, nearest: nearestName };
}

/** `name:` means `name`. */
function plainName(name: string): string {
  return name.replace(/:+$/, '');
}
