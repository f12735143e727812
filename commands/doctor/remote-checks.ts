import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';
import { HttpClient } from '../../src/backends/http/http-client.ts';
import { type Origin, originOf } from '../../src/backends/http/http-request.ts';
import type { TransportOptions } from '../../src/backends/http/network-options.ts';
import { proxyFor } from '../../src/backends/http/proxy.ts';
import { rcloneToAsk } from '../../src/backends/rclone/index.ts';
import { installedRclone } from '../../src/backends/rclone/rclone-program.ts';
import { testResultText } from '../../src/config/dialogue/step.ts';
import type { ConfigSections } from '../../src/config/ini-lines.ts';
import { parseRemoteSpec } from '../../src/config/remote-spec.ts';
import { collectBody, wholeSource } from '../../src/core/body.ts';
import { type Clock, withGrace } from '../../src/core/context.ts';
import { hasCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { modTimeToMs } from '../../src/core/mod-time.ts';
import { once as onlyOnce } from '../../src/core/once.ts';
import { OWN_NAMES } from '../../src/core/own-names.ts';
import type { FileEntry, Op, Remote, WriteSource } from '../../src/core/remote.ts';
import { deleteOne, listDir } from '../../src/core/remote-calls.ts';
import { isRunId, runTimeMs } from '../../src/core/run-id.ts';
import { counted } from '../../src/core/shown-text.ts';
import { mayChange } from '../../src/engine/consent.ts';
import { readLease } from '../../src/run/presence/remote-lease.ts';
import { transportOptions } from '../../src/run/remotes/transport-options.ts';
import type {
  CommandCall,
  Environment,
  Remotes,
  UnderConsent,
} from '../../src/shell/command-line/command.ts';
import { requestOf } from '../../src/shell/url-request.ts';
import { shellWord } from '../../src/system/shell-words.ts';
import { took } from '../../src/terminal/time-texts.ts';
import { listRoot } from '../config/use.ts';
import { type CheckResult, failed, ok, trying, unknown, warning } from './check.ts';
import type { DOCTOR_FLAGS } from './command.ts';
import { sectionFault } from './section-fault.ts';

/** A remote, opened without a request, or why it cannot be. */
async function opened(
  { remotes }: Remotes,
  spec: string,
): Promise<{ readonly remote?: Remote; readonly result: CheckResult }> {
  try {
    const remote = await remotes.openDir(spec);
    return { remote, result: ok('config', remote.title) };
  } catch (thrown) {
    const mend = mendRemote(thrown, nameOf(spec));
    return { result: failed('config', toSyncerError(thrown).message, mend) };
  }
}

/** The checks of all remotes of the configuration that need no request. */
export async function* offlineChecks(
  invocation: CommandCall & Environment & Remotes,
  read: Promise<ConfigSections>,
): AsyncGenerator<CheckResult> {
  const through = onlyOnce(() => installedRclone(rcloneToAsk(invocation)));
  const { context, env } = invocation;
  const config = await read;
  for (const name of config.keys()) {
    // Opening it would start rclone, and may connect.
    const byRclone = await invocation.remotes.rcloneSettings(`${name}:`).catch(() => undefined);
    const fault = sectionFault(name, byRclone !== undefined, config, env, context.clock.now());
    if (fault !== undefined) {
      yield fault;
      continue;
    }
    if (byRclone !== undefined) {
      const { type } = byRclone;
      const look = async () =>
        ok(name, `${type}, through rclone ${(await through()).version}`.trimEnd());
      // The check of rclone itself says what is wrong with it.
      yield await trying(name, look, () => failed(name, `remotes of the type ${type} need rclone`));
      continue;
    }
    const { remote, result } = await opened(invocation, `${name}:`);
    const found = await remote?.can.inspection?.offline();
    yield found === undefined
      ? { ...result, check: name }
      : { ...found, check: name, text: `${found.check}: ${found.text}` };
  }
}

/** The rclone that opens remotes of the configuration; nothing if none of these needs it. */
export async function* rcloneChecks(
  invocation: CommandCall & Environment & Remotes,
  specs: readonly string[],
): AsyncGenerator<CheckResult> {
  const { remotes } = invocation;
  for (const spec of specs) {
    const settings = await remotes.rcloneSettings(spec).catch(() => undefined);
    if (settings === undefined) continue;
    yield await installedRclone(rcloneToAsk(invocation), settings.type).then(
      ({ path, version }) => ok('rclone', `rclone ${version} at ${path}`),
      (thrown) => failed('rclone', toSyncerError(thrown).message),
    );
    return;
  }
}

/** The checks of one remote, with requests. */
export async function* remoteChecks(
  invocation: CommandCall<typeof DOCTOR_FLAGS> & Environment & Remotes & UnderConsent,
  spec: string,
): AsyncGenerator<CheckResult> {
  const { context, flags, env } = invocation;
  const { remote, result } = await opened(invocation, spec);
  yield result;
  if (remote === undefined) return;
  const name = nameOf(spec);
  const op: Op = { signal: context.signal };
  const { inspection } = remote.can;
  if (inspection !== undefined) {
    const { signal, clock, emit } = context;
    const transport = await transportOptions(flags, env, clock, emit);
    const place = { url: inspection.url, remote: name, transport, clock, signal };
    for await (const check of connectionChecks(place)) {
      yield check;
      // Everything else would fail for the same reason.
      if (check.check === 'connection' && check.verdict === 'failed') return;
    }
  }
  try {
    const text = testResultText(await listRoot(remote, op)).replace(/^Test passed: /, '');
    yield ok('list', text);
  } catch (thrown) {
    op.signal.throwIfAborted();
    yield failed('list', toSyncerError(thrown).message, mendRemote(thrown, name));
    if (!hasCode(thrown, 'access-denied')) return;
  }
  yield* ownFileChecks(remote, spec, context.clock.now(), op);
  if (inspection !== undefined) yield* inspection.findings(op);
  if (!flags['doctor-write']) return;
  const action = { do: 'other', words: 'write a file to', about: remote.title } as const;
  if (await mayChange(invocation, action)) yield* writeChecks(remote, op);
}

/** The name of the remote in the configuration; `''` for a path and for a connection string. */
function nameOf(spec: string): string {
  try {
    const { name } = parseRemoteSpec(spec);
    return name.startsWith(':') ? '' : name;
  } catch {
    return '';
  }
}

const BYTES = 1024;

/** Writes, reads and deletes one file of a remote, under a new name (`--write`). */
async function* writeChecks(remote: Remote, op: Op): AsyncGenerator<CheckResult> {
  if (remote.traits.bucketBased && remote.root === '') {
    return yield unknown('write', 'name a bucket to write to');
  }
  const content = randomBytes(BYTES);
  const path = `syncer-doctor-${content.subarray(0, 6).toString('hex')}.tmp`;
  const source = wholeSource({ path }, content);
  let file: FileEntry | undefined;
  try {
    file = await remote.write(source, op);
    yield ok('write', `${BYTES} bytes written`);
    const body = await remote.read(file, undefined, op);
    const isSame = content.equals(await collectBody(body, op.signal));
    yield isSame ? ok('read', 'they are the same') : failed('read', `${path} has other content`);
    yield await conditions(remote, source, op);
  } catch (thrown) {
    op.signal.throwIfAborted();
    yield failed(file === undefined ? 'write' : 'read', toSyncerError(thrown).message);
  } finally {
    if (file !== undefined) {
      const one = file;
      const work = async () => {
        // The deletion may take 5 s after the run is interrupted.
        await withGrace(op.signal, 5_000, (signal) => deleteOne(remote, one, { signal }));
        return ok('delete', 'deleted');
      };
      yield await trying('delete', work, ({ message }) =>
        failed('delete', `${one.path} is left: ${message}`),
      );
    }
  }
}

/** Whether the server refuses to replace a file that must not be there: locks need that. */
async function conditions(remote: Remote, source: WriteSource, op: Op): Promise<CheckResult> {
  const check = 'conditional-writes';
  if (remote.can.writesIfUnchanged !== true) return unknown(check, 'this backend has none');
  try {
    await remote.write({ ...source, replaces: 'nothing' }, op);
    return warning(check, 'the server ignores the condition, and replaces the file');
  } catch (thrown) {
    op.signal.throwIfAborted();
    if (hasCode(thrown, 'precondition-failed')) return ok(check, 'the server checks conditions');
    return warning(check, toSyncerError(thrown).message);
  }
}

/** A lock is renewed four times a minute, in milliseconds. */
const ABANDONED_MS = 10 * 60_000;
/** `--trash-keep`, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;
const CHECK = 'own-files';

/** Files of syncer at the root of a remote, which no listing shows. */
async function* ownFileChecks(
  remote: Remote,
  spec: string,
  nowMs: number,
  op: Op,
): AsyncGenerator<CheckResult> {
  const { traits, root } = remote;
  // A bucket has its own.
  if (traits.bucketBased && root === '') return;
  let found = 0;
  const guard = async () => {
    const entry = await remote.stat(OWN_NAMES.guard, op);
    return entry && ok(CHECK, `${OWN_NAMES.guard}: the marker of --guard marker`);
  };
  const place = shellWord(spec);
  for (const look of [
    guard,
    () => lock(remote, place, nowMs, op),
    () => trash(remote, place, nowMs, op),
  ]) {
    const result = await trying(CHECK, look);
    op.signal.throwIfAborted();
    if (result === undefined) continue;
    yield result;
    found++;
  }
  if (found === 0) yield ok(CHECK, 'none');
}

async function lock(remote: Remote, spec: string, nowMs: number, op: Op) {
  const { lock: name } = OWN_NAMES;
  const found = await readLease(remote, op).catch((thrown) => {
    if (thrown instanceof SyncerError && thrown.code === 'locked') return thrown;
    throw thrown;
  });
  if (found === undefined) return undefined;
  if (found instanceof SyncerError) return warning(CHECK, found.message);
  if (found === 'moving') return ok(CHECK, `${name}: a run has just renewed it`);
  const { record, file } = found;
  const { id, host, isReleased } = record;
  if (isReleased) return ok(CHECK, `${name}: no run holds the lock`);
  // By the time of the server.
  const written = file.storedTime ?? file.modTime;
  const sinceMs = written === undefined ? 0 : nowMs - modTimeToMs(written);
  const text = `${name}: run ${id} on ${host} holds the lock`;
  if (sinceMs < ABANDONED_MS) return ok(CHECK, text);
  const why = 'and has not renewed it for';
  return warning(CHECK, `${text}, ${why} ${took(sinceMs)}`, `syncer unlock ${spec} ${id}`);
}

async function trash(remote: Remote, spec: string, nowMs: number, op: Op) {
  const { trash: name } = OWN_NAMES;
  if ((await remote.stat(name, op))?.kind !== 'dir') return undefined;
  const times: number[] = [];
  for await (const entries of listDir(remote, name, op, () => {})) {
    for (const { path } of entries) {
      const id = path.slice(name.length + 1);
      if (isRunId(id)) times.push(runTimeMs(id));
    }
  }
  if (times.length === 0) return undefined;
  const oldestMs = nowMs - times.reduce((oldest, time) => Math.min(oldest, time));
  const days = Math.floor(oldestMs / 86_400_000);
  const text = `${name}: what ${counted(times.length, 'run')} deleted and replaced`;
  if (oldestMs <= KEPT_MS) return ok(CHECK, text);
  const mend = `syncer trash empty ${spec} --older-than 30d`;
  return warning(CHECK, `${text}, the oldest ${counted(days, 'day')} ago`, mend);
}

const SOON_MS = 14 * 86_400_000;
/** Larger differences between two clocks are worth a warning, in milliseconds. */
const SKEW_MS = 60_000;
/** S3 refuses requests whose time differs by more than this, in milliseconds (RequestTimeTooSkewed). */
const MOST_SKEW_MS = 15 * 60_000;

/**
 * The checks of the way to a service: proxy, connection, certificate, clock; `remote`: its name in the configuration, `''`
 * for a connection string.
 */
export async function* connectionChecks(place: {
  readonly url: string;
  readonly remote: string;
  readonly transport: TransportOptions;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): AsyncGenerator<CheckResult> {
  const { transport, remote, clock, signal } = place;
  const url = new URL(place.url);
  const origin = originOf(url);
  const http = new HttpClient(transport, clock);
  try {
    const proxy = transport.http?.proxy ?? proxyFor(origin, transport.env);
    const scheme = proxy?.socks === true ? 'socks5' : proxy?.secure ? 'https' : 'http';
    yield ok('proxy', proxy === undefined ? 'none' : `${scheme}://${proxy.hostname}:${proxy.port}`);
    const request = requestOf(url, transport.userAgent);
    const answer = await http.send({ ...request, method: 'HEAD' }, signal);
    answer.read({ data: () => true, end: () => {}, broken: () => {} });
    yield ok('connection', `${origin.secure ? 'TLS' : 'plain HTTP'} to ${origin.host}`);
    if (origin.secure && proxy === undefined) {
      yield certificateCheck(await certificateOf(origin, signal), clock.now());
    }
    yield clockCheck(answer.headers['date'], clock.now());
  } catch (thrown) {
    signal.throwIfAborted();
    yield failed('connection', toSyncerError(thrown).message, mendRemote(thrown, remote));
  } finally {
    http.close();
  }
}

/** The certificate of a server, whether it is trusted or not; the request before has verified it. */
async function certificateOf(
  { hostname, port }: Origin,
  signal: AbortSignal,
): Promise<PeerCertificate | undefined> {
  const servername = isIP(hostname) === 0 ? hostname : '';
  const socket = connect({ host: hostname, port, servername, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal });
    return socket.getPeerCertificate();
  } catch {
    signal.throwIfAborted();
    return undefined;
  } finally {
    // What else goes wrong says nothing about the certificate.
    socket.on('error', () => {}).destroy();
  }
}

/** When a certificate ends. */
export function certificateCheck(
  certificate: Pick<PeerCertificate, 'valid_to'> | undefined,
  nowMs: number,
): CheckResult {
  const check = 'certificate';
  const endMs = Date.parse(certificate?.valid_to ?? '');
  if (Number.isNaN(endMs)) return unknown(check, 'the server did not show it again');
  const day = new Date(endMs).toISOString().slice(0, 10);
  if (endMs <= nowMs) return failed(check, `ended on ${day}: its owner must renew it`);
  const text = `valid until ${day}`;
  return endMs - nowMs < SOON_MS
    ? warning(check, `${text}: its owner must renew it`)
    : ok(check, text);
}

/** How much the clocks of this machine and of the server differ. */
export function clockCheck(date: string | undefined, nowMs: number): CheckResult {
  const toldMs = Date.parse(date ?? '');
  if (Number.isNaN(toldMs)) return unknown('clock', 'the server does not show its time');
  const skew = nowMs - toldMs;
  const size = Math.abs(skew);
  if (size < SKEW_MS) return ok('clock', "agrees with the server's");
  const minutes = Math.round(size / 60_000);
  const text = `${minutes} min ${skew > 0 ? 'ahead of' : 'behind'} the server's`;
  const mend = 'sudo timedatectl set-ntp true';
  return size < MOST_SKEW_MS ? warning('clock', text, mend) : failed('clock', text, mend);
}

/**
 * The command that most likely fixes an error of a remote, by its name in the configuration; `''` for one that is not
 * there.
 */
export function mendRemote(thrown: unknown, name: string): string | undefined {
  const remote = shellWord(name);
  const edit = `syncer config edit ${remote}`;
  for (let at = thrown; at instanceof SyncerError; at = at.cause) {
    if (at.fault === 'clock') return 'sudo timedatectl set-ntp true';
    if (at.fault === 'certificate' || name === '') continue;
    if (at.fault === 'application') return 'syncer help backend onedrive';
    if (at.code === 'sign-in-needed') return `syncer config reconnect ${shellWord(`${name}:`)}`;
    if (at.fault === 'region') {
      const { region } = at as { readonly region?: unknown };
      const isNamed = typeof region === 'string' && region !== '';
      return isNamed ? `syncer config update ${remote} region=${shellWord(region)}` : edit;
    }
    if (at.fault === 'authority') {
      return `syncer doctor ${shellWord(`${name}:`)} --ca-cert authority.pem`;
    }
    if (at.fault !== undefined || at.code === 'sign-in') return edit;
    if (at.code === 'config') return `syncer config show ${remote}`;
    if (at.code === 'bucket-not-found') return `syncer lsd ${shellWord(`${name}:`)}`;
  }
  return undefined;
}
