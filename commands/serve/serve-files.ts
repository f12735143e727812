import type { FixedOptions } from '../../src/config/resolve-options.ts';
import { timerMs } from '../../src/core/context.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { HashName } from '../../src/core/hash-names.ts';
import type { Entry, Remote } from '../../src/core/remote.ts';
import { ALL } from '../../src/engine/consent.ts';
import { startRun } from '../../src/engine/run.ts';
import { parseHashName } from '../../src/listing/sum-file.ts';
import { requireListing } from '../../src/run/remotes/file-or-directory.ts';
import { requestsAtOnce } from '../../src/run/remotes/remote-flags.ts';
import { shownEntries } from '../../src/run/remotes/shown-entries.ts';
import { cleanBase } from '../../src/serve/files/call.ts';
import { type Around, fileServer, type Served } from '../../src/serve/files/file-server.ts';
import { HTTP_PROTOCOL } from '../../src/serve/files/http-protocol.ts';
import { withMetadataFiles } from '../../src/serve/files/metadata-files.ts';
import { withServedLinks } from '../../src/serve/files/served-links.ts';
import { ServedTree } from '../../src/serve/files/served-tree.ts';
import { openListeners } from '../../src/serve/listen/open-listeners.ts';
import { type LogIn, openLogin } from '../../src/serve/login/log-in.ts';
import type {
  CommandCall,
  Environment,
  Interruption,
  Remotes,
} from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { leaveHeapRoom } from '../../src/shell/process/limit-heap.ts';
import { systemdSockets } from '../../src/system/systemd-sockets.ts';
import type { SERVE_FLAGS } from './command.ts';
import { listenPlan, logRequest, notice, serveUntilStopped } from './serve-until-stopped.ts';

/** `syncer serve http remote:path` and `syncer serve webdav remote:path`. */
export async function serveFiles(
  invocation: CommandCall<typeof SERVE_FLAGS> & Environment & Interruption & Remotes,
  protocol: 'http' | 'webdav',
): Promise<void> {
  const { args, flags, env, context, remotes } = invocation;
  const { emit } = context;
  const [, spec] = args;
  const hasProxy = flags['auth-proxy'] !== undefined;
  if (hasProxy !== (spec === undefined)) {
    const text = hasProxy
      ? '--auth-proxy chooses the remote: give no remote:path'
      : `serve ${protocol} takes 1 argument, remote:path, unless --auth-proxy is given`;
    throw new SyncerError('command-line', text);
  }
  const plan = await listenPlan(flags, emit);
  const headers = flags['response-header'].map((text) => {
    const [, name, value = ''] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*([\t -~]*)$/.exec(text) ?? [];
    if (name !== undefined) return [name.toLowerCase(), value.trim()];
    throw new SyncerError('usage', `--response-header ${text}: a header is Name: value`);
  });
  const filter = await invocation.filter();
  const open = async (path: string, options: FixedOptions = {}): Promise<Served> => {
    const { remote: opened, file } = await remotes.openPath(path, options);
    const { 'vfs-metadata-extension': extension = '' } = flags;
    const hasLinks = flags.links || flags['vfs-links'];
    const linked = hasLinks ? withServedLinks(opened) : opened;
    const remote = extension === '' ? linked : withMetadataFiles(linked, extension, hasLinks);
    const isOnly = file && ((entry: Entry) => entry.path === file.path);
    const isShown = isOnly ?? shownEntries(filter, `serve ${protocol}`);
    const tree = new ServedTree(remote, {
      isShown,
      noModTime: flags['mount-no-modtime'],
      useServerModTime: flags['use-server-modtime'],
      etagHash: etagHash(flags['etag-hash'], remote),
      ignoresCase: flags['vfs-case-insensitive'],
      links: hasLinks,
      atOnce: requestsAtOnce(flags, remote),
      readOnly: flags['read-only'],
    });
    await requireListing(remote, 'serve', path, { signal: context.signal });
    if (protocol === 'http') return { tree, protocol: HTTP_PROTOCOL };
    const { openWebDav } = await import('../../src/serve/dav/dav-protocol.ts');
    return { tree, protocol: openWebDav() };
  };
  const logIn = await loginOf(invocation, open);
  const served = spec === undefined ? undefined : await open(spec);
  leaveHeapRoom();
  const base = cleanBase(flags.baseurl);
  const around: Around = {
    services: {
      options: {
        base,
        allowsListing: !flags['disable-dir-list'],
        allowsZip: !flags['disable-zip'],
        noSeek: flags['no-seek'],
        sendsMetadata: flags.metadata,
        lowLevelRetries: Math.max(1, flags['low-level-retries']),
      },
      run: startRun({ context, filter, consent: ALL, bandwidth: invocation.bandwidth }),
    },
    served,
    logIn,
    ownNames: plan.addresses.flatMap((address) => ('host' in address ? [address.host] : [])),
    allowOrigin: flags['allow-origin'],
    extraHeaders: Object.fromEntries(headers),
    responseMs: limitOf(flags['server-write-timeout']),
    report: (report) => logRequest(emit, report),
  };
  const server = await openListeners(
    {
      ...plan,
      descriptors: systemdSockets(env, process.pid),
      // As in Go, whose servers add this to the limit that was set.
      maxHeaderBytes: Math.max(flags['max-header-bytes'], 0) + 4096,
      requestMs: limitOf(flags['server-read-timeout']),
    },
    fileServer(around),
  );
  const canChange = protocol === 'webdav' && !flags['read-only'];
  await serveUntilStopped(invocation, server, () => {
    if (logIn === undefined) {
      const access = canChange ? 'change everything' : 'read everything';
      notice(emit, `Without --user or --htpasswd, anyone who can reach this server can ${access}`);
    }
    const urls = server.urls.map((url) => (url.startsWith('unix:') ? url : `${url}${base}/`));
    const name = protocol === 'http' ? 'HTTP' : 'WebDAV';
    const how = flags['read-only'] ? ' (read-only)' : '';
    notice(
      emit,
      `Serving ${spec ?? 'the remotes of --auth-proxy'} by ${name} on ${urls.join(', ')}${how}`,
    );
  });
}

/** How requests log in; with `--auth-proxy` by a program, which says what each user sees. Rejects with `usage`. */
async function loginOf(
  { flags, context }: CommandCall<typeof SERVE_FLAGS>,
  open: (path: string, options: FixedOptions) => Promise<Served>,
): Promise<LogIn<Served> | undefined> {
  const { 'auth-proxy': command, realm } = flags;
  const own = {
    user: flags['serve-user'],
    password: flags['serve-pass'],
    htpasswd: flags.htpasswd,
    userFromHeader: flags['user-from-header'],
  };
  if (command === undefined) {
    return openLogin({ ...own, realm, needsCertificate: flags['client-ca'] !== undefined });
  }
  const [{ proxyLogin }, { splitCommand }, { obscure }] = await Promise.all([
    import('../../src/serve/login/auth-proxy.ts'),
    import('../../src/config/config-password.ts'),
    import('../../src/config/obscure.ts'),
  ]);
  return proxyLogin({
    words: splitCommand(command),
    realm,
    signal: context.signal,
    now: () => context.clock.monotonic(),
    onRefused: (user, why) => context.emit(logText('error', `Login of ${user} refused: ${why}`)),
    open({ type = '', _root: root = '', _obscure: hidden = '', ...given }) {
      const options: Record<string, string> = { ...given };
      for (const name of hidden.split(',')) {
        const value = options[name];
        if (value !== undefined) options[name] = obscure(value);
      }
      return open(`:${type}:${root}`, options);
    },
  });
}

function etagHash(given: string | undefined, { traits, title }: Remote): HashName | undefined {
  if (given === undefined || given === '') return undefined;
  const name = given === 'auto' ? traits.hashes[0] : parseHashName(given, 'usage');
  if (name !== undefined && traits.hashes.includes(name)) return name;
  const hashes = traits.hashes.length === 0 ? 'no hashes' : traits.hashes.join(', ');
  throw new SyncerError('usage', `--etag-hash ${given}: ${title} has ${hashes}`);
}

/** A duration of 0 or `off` is no limit. */
const limitOf = (ms: number): number => (ms > 0 && Number.isFinite(ms) ? timerMs(ms) : 0);
