import { join } from 'node:path';
import { readWhole } from '../../src/backends/http/answer.ts';
import { HttpClient } from '../../src/backends/http/http-client.ts';
import type { TransportOptions } from '../../src/backends/http/network-options.ts';
import { openUserConfig } from '../../src/config/config-file.ts';
import { findCacheDir, stateDir } from '../../src/config/config-path.ts';
import { type ConfigSections, iniSections } from '../../src/config/ini-lines.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Finding, Verdict } from '../../src/core/finding.ts';
import { nameToBytes } from '../../src/core/name-bytes.ts';
import { counted, harmless } from '../../src/core/shown-text.ts';
import { type Consenting, mayChange } from '../../src/engine/consent.ts';
import { FUSERMOUNT, findProgram } from '../../src/fuse/device/mounting.ts';
import { transferRecords } from '../../src/run/remotes/transfer-records.ts';
import { transportOptions } from '../../src/run/remotes/transport-options.ts';
import type {
  Asking,
  CommandCall,
  Environment,
  Remotes,
  StandardOutput,
  UnderConsent,
} from '../../src/shell/command-line/command.ts';
import { themedLook } from '../../src/shell/interactive/screen-terminal.ts';
import { requestOf } from '../../src/shell/url-request.ts';
import { VERSION } from '../../src/shell/version.ts';
import { compiledFolder } from '../../src/system/compiled-folder.ts';
import { loadLibc } from '../../src/system/libc.ts';
import { startThread } from '../../src/system/start-thread.ts';
import { fill, wrap } from '../../src/terminal/cells.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { paint } from '../../src/terminal/paint.ts';
import { type Line, type Span, span } from '../../src/terminal/span.ts';
import { listMounts } from '../mount/use.ts';
import type { CheckResult } from './check.ts';
import type { DOCTOR_FLAGS } from './command.ts';
import {
  configChecks,
  folderChecks,
  leftoverChecks,
  mountChecks,
  programChecks,
  stateChecks,
  unfinishedChecks,
} from './folder-checks.ts';
import { offlineChecks, rcloneChecks, remoteChecks } from './remote-checks.ts';
import { unitChecks, unitFolders } from './unit-checks.ts';

/** What the checks need. */
type DoctorNeeds = CommandCall<typeof DOCTOR_FLAGS> & Environment & Remotes & Asking & UnderConsent;

/** Makes all checks and prints them as they are made. Rejects with `differences` if one has failed. */
export async function doctorCommand(invocation: DoctorNeeds & StandardOutput): Promise<void> {
  const { flags, out } = invocation;
  const all: ReportedCheck[] = [];
  const print = printer(invocation);
  for (const [name, results] of groups(invocation)) {
    let isFirst = true;
    for await (const result of results) {
      invocation.context.signal.throwIfAborted();
      const one = await reported(name, result, flags['doctor-fix'] ? invocation : undefined);
      all.push(one);
      await print(one, isFirst);
      isFirst = false;
    }
  }
  const failed = all.filter(({ verdict }) => verdict === 'failed').length;
  if (flags.json) await out.write(reportJson(all));
  else await print(all, false);
  if (failed > 0) {
    throw new SyncerError('differences', `${counted(failed, 'check')} failed`);
  }
}

function* groups(
  invocation: DoctorNeeds,
): Generator<readonly [name: string, results: AsyncIterable<CheckResult>]> {
  const { args, flags, env } = invocation;
  yield ['program', program(invocation)];
  yield ['folders', folders(invocation)];
  const mounts = mountChecks({
    uid: process.getuid?.() ?? 0,
    device: '/dev/fuse',
    settings: '/etc/fuse.conf',
    findFusermount: () => findProgram(FUSERMOUNT, env),
    mounts: () => listMounts(flags, env),
  });
  yield ['mount', mounts];
  const queue = flags['doctor-queue'];
  if (queue !== undefined) yield ['queue', queueOf(invocation, queue)];
  if (args.length === 0) yield ['remotes', offlineChecks(invocation, sections(invocation))];
  for (const spec of args) yield [spec, remoteChecks(invocation, spec)];
}

async function* program(invocation: DoctorNeeds): AsyncGenerator<CheckResult> {
  const { args, flags, env, context } = invocation;
  const { clock, emit, signal } = context;
  const newest = async () =>
    newestVersion(await transportOptions(flags, env, clock, emit), clock, signal);
  yield* programChecks({
    version: VERSION,
    nodeVersion: process.versions.node,
    loadNative: loadLibc,
    askThread: () =>
      startThread<number, number, undefined, []>(
        (port) => port.on('message', (question) => port.postMessage(question)),
        undefined,
      ).ask(1),
    compileCache: compiledFolder(env),
    isCacheOff: env['NODE_DISABLE_COMPILE_CACHE'] === '1',
    ...(flags['doctor-online'] ? { newest } : {}),
  });
  const specs = args.length > 0 ? args : (await names(invocation)).map((name) => `${name}:`);
  yield* rcloneChecks(invocation, specs);
  yield* unitChecks(unitFolders(env));
}

async function* folders(invocation: DoctorNeeds): AsyncGenerator<CheckResult> {
  const { flags, env, context, stores, remotes } = invocation;
  const file = config(invocation);
  yield* configChecks(file);
  const [state, cache] = [stateDir(env), findCacheDir(env, flags['cache-dir'])];
  const runtime = env['XDG_RUNTIME_DIR'];
  const own = { state, journal: state && join(state, 'runs'), cache, runtime };
  for (const [check, path] of Object.entries(own))
    if (path) yield* folderChecks(check, path, check !== 'cache');
  yield* stateChecks(state, cache);
  const known = new Set(await names(invocation));
  yield* leftoverChecks({ config: file.path, remotes: known, state, list: invocation });
  yield* unfinishedChecks(transferRecords(context, env, stores), async (store) => {
    for (const name of known) {
      // Transfers through rclone have no unfinished parts.
      if ((await remotes.rcloneSettings(`${name}:`).catch(() => undefined)) !== undefined) continue;
      const remote = await remotes.openDir(`${name}:`).catch(() => undefined);
      if (remote?.storeId === store) return name;
    }
    return undefined;
  });
}

async function* queueOf(
  invocation: CommandCall<typeof DOCTOR_FLAGS> & Environment,
  given: string,
): AsyncGenerator<CheckResult> {
  const [{ queueNetwork }, { queueAddress }, { queueChecks }] = await Promise.all([
    import('../../src/run/queue/connect.ts'),
    import('../../src/run/queue/queue-address.ts'),
    import('./queue-checks.ts'),
  ]);
  const { flags, env } = invocation;
  const address = queueAddress(given, env);
  const network = await queueNetwork(flags);
  const { clock, signal } = invocation.context;
  yield* queueChecks(address, network, { now: () => clock.now(), signal });
}

function config({ flags, env, ask, context }: CommandCall & Environment & Asking) {
  return openUserConfig(flags, env, () => {}, ask, context.signal);
}

/** The remotes; none of a configuration that cannot be read, which has a check of its own. */
async function sections(invocation: CommandCall & Environment & Asking): Promise<ConfigSections> {
  const lines = await config(invocation)
    .read()
    .catch(() => []);
  return iniSections(lines);
}

/** Their names. */
async function names(invocation: CommandCall & Environment & Asking): Promise<readonly string[]> {
  return [...(await sections(invocation)).keys()];
}

/** Prints a check, with the heading of its group before the first one, or the counts of all. */
function printer(invocation: CommandCall<typeof DOCTOR_FLAGS> & Environment & StandardOutput) {
  const { flags, env, out } = invocation;
  const look = themedLook(env, flags, out.colour);
  const window = out.isTerminal ? process.stdout.columns : Number(env['COLUMNS']);
  const columns = Math.min(window || 80, 100);
  // Pipes and files get no weight either.
  const shown = (line: Line) =>
    out.isTerminal || look.colour
      ? paint(line, look.colour, look.theme)
      : line.map(({ text }) => text).join('');
  const write = async (lines: readonly Line[]) => {
    // As bytes: what is painted is harmless, and a terminal gets the codes of strings as text.
    for (const line of lines) await out.write(nameToBytes(`${shown(line).trimEnd()}\n`));
  };
  return async (what: ReportedCheck | readonly ReportedCheck[], isFirst: boolean) => {
    if (flags.json) return;
    if ('check' in what) {
      if (isFirst) await write([[span(harmless(what.group), 'section')]]);
      await write(checkLines(what, columns, look.glyphs));
    } else {
      await write([[], summaryLine(what)]);
      if (what.some(({ group }) => group === 'remotes')) await write([[span(NOT_ASKED, 'dim')]]);
    }
  };
}

/** The end of what is printed if remotes were checked without requests. */
const NOT_ASKED = 'remotes were opened, not asked: "syncer doctor NAME:" asks';

/** The width of the names of checks. */
const NAME = 20;

/** A check: its sign, its name, what was found, and in lines of its own the command that fixes it. */
export function checkLines(
  { check, verdict, text, mend }: ReportedCheck,
  columns: number,
  glyphs: Glyphs,
): readonly Line[] {
  const signs = {
    ok: ['good', glyphs.tick],
    fixed: ['good', glyphs.tick],
    warning: ['warn', '!'],
    failed: ['bad', glyphs.cross],
    unknown: ['dim', '?'],
  } as const;
  const [tone, sign] = signs[verdict];
  const head = [span(`  ${fill(sign, 3, '')}`, tone), span(fill(check, NAME, ''), 'plain')];
  // Narrower windows have the text below the name.
  const isNarrow = columns < 60 || check.length >= NAME;
  const indent = ' '.repeat(isNarrow ? 5 : 5 + NAME);
  const room = Math.max(20, columns - indent.length);
  const lines = wrap(harmless(text), room);
  const first: readonly Span[] = isNarrow
    ? [head[0] as Span, span(check)]
    : [...head, span(lines[0] ?? '')];
  const rest = (isNarrow ? lines : lines.slice(1)).map((line) => [span(`${indent}${line}`)]);
  // A command is one line, so that it can be copied.
  const fixed = mend === undefined ? [] : [[span(`${indent}$ ${harmless(mend)}`, 'accent')]];
  return [first, ...rest, ...fixed];
}

/** How many checks ended how. */
export function summaryLine(all: readonly ReportedCheck[]): Line {
  const count = (verdict: ReportedCheck['verdict']) =>
    all.filter((one) => one.verdict === verdict).length;
  const [bad, warned] = [count('failed'), count('warning')];
  const [unknown, fixed] = [count('unknown'), count('fixed')];
  const parts = [
    span(`${bad} failed`, bad > 0 ? 'bad' : 'plain'),
    span(counted(warned, 'warning'), warned > 0 ? 'warn' : 'plain'),
    ...(unknown > 0 ? [span(`${unknown} unknown`, 'dim')] : []),
    ...(fixed > 0 ? [span(`${fixed} fixed`, 'good')] : []),
    span(`${count('ok')} ok`, 'good'),
  ];
  return parts.flatMap((part, i) => (i === 0 ? [part] : [span(', '), part]));
}

/** A check as it is reported; `fixed`: it had failed or warned, and `--fix` has fixed it. */
export interface ReportedCheck extends Omit<Finding, 'verdict'> {
  readonly group: string;
  readonly verdict: Verdict | 'fixed';
}

/**
 * A result as it is reported, after what `--fix` does about it.
 *
 * @param fixes the run that fixes; `undefined` without `--fix`
 */
export async function reported(
  group: string,
  result: CheckResult,
  fixes: Consenting | undefined,
): Promise<ReportedCheck> {
  const { fix, ...finding } = result;
  if (fix === undefined || fixes === undefined) return { group, ...finding };
  const other = { do: 'other', words: 'fix', about: finding.check } as const;
  if (!(await mayChange(fixes, other))) return { group, ...finding };
  try {
    const done = await fix();
    return { group, check: finding.check, verdict: 'fixed', text: `${finding.text}: ${done}` };
  } catch (thrown) {
    const text = `${finding.text}; it cannot be fixed: ${toSyncerError(thrown).message}`;
    return { group, ...finding, text };
  }
}

/** All checks as JSON; fields are only added in later versions. */
export function reportJson(all: readonly ReportedCheck[]): string {
  const failed = all.filter(({ verdict }) => verdict === 'failed').length;
  const checks = all.map(({ group, check, verdict, text, mend = null }) => {
    return { group, check, verdict, text, mend };
  });
  return `${JSON.stringify({ doctor: 1, failed, checks }, undefined, 2)}\n`;
}

/**
 * The newest version in the npm registry (`$npm_config_registry`); `undefined` if the package there is another
 * program. Rejects if the registry does not respond.
 */
export async function newestVersion(
  transport: TransportOptions,
  clock: { monotonic(): number },
  signal: AbortSignal,
): Promise<string | undefined> {
  const registry = transport.env['npm_config_registry'] || 'https://registry.npmjs.org/';
  const url = new URL('syncer/latest', registry.replace(/\/?$/, '/'));
  const http = new HttpClient(transport, clock);
  try {
    const answer = await http.send(requestOf(url, transport.userAgent), signal);
    // The description of a version has a few kilobytes.
    const body = await readWhole(answer, 1024 ** 2);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) {
      throw new SyncerError('server', `${url.host} answered with status ${answer.status}`);
    }
    const { version, bin } = JSON.parse(body.toString()) as { version?: unknown; bin?: object };
    const isOurs = bin !== undefined && 'syncer' in bin && 'webhook-installer' in bin;
    return isOurs && typeof version === 'string' ? version : undefined;
  } finally {
    http.close();
  }
}
