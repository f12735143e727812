import { existsSync } from 'node:fs';
import { SyncerError } from '../../src/core/errors.ts';
import type {
  CommandCall,
  Environment,
  Interruption,
  Remotes,
} from '../../src/shell/command-line/command.ts';
import { leaveHeapRoom } from '../../src/shell/process/limit-heap.ts';
import type { SERVE_FLAGS } from './command.ts';
import { listenPlan, logRequest, notice, serveUntilStopped } from './serve-until-stopped.ts';

/** `syncer serve s3 path`, `syncer serve http remote:path`, `syncer serve webdav remote:path` */
export async function serveCommand(
  invocation: CommandCall<typeof SERVE_FLAGS> & Environment & Interruption & Remotes,
): Promise<void> {
  const [protocol = ''] = invocation.args;
  if (protocol === 's3') return serveS3(invocation);
  if (protocol === 'http' || protocol === 'webdav') {
    const { serveFiles } = await import('./serve-files.ts');
    return serveFiles(invocation, protocol);
  }
  throw new SyncerError('command-line', 'give a protocol: serve s3, serve http or serve webdav');
}

async function serveS3(invocation: CommandCall<typeof SERVE_FLAGS> & Interruption): Promise<void> {
  const { args, flags, context } = invocation;
  const { emit } = context;
  const [, root = ''] = args;
  if (/^:?[^/:]+:/.test(root)) {
    throw new SyncerError('usage', `serve s3 serves a local directory, not ${root}`);
  }
  if (flags['one-file-system']) {
    const text =
      'serve s3 also serves file systems mounted in its directory: omit --one-file-system';
    throw new SyncerError('usage', text);
  }
  const { parseAccessKey } = await import('../../src/serve/s3/auth/authenticate.ts');
  const authKeys = flags['auth-key'].map(parseAccessKey);
  const readOnly = flags['read-only'];
  const plan = await listenPlan(flags, emit);
  if (!existsSync(root)) {
    throw new SyncerError('directory-not-found', `cannot serve ${root}: no such directory`, {
      path: root,
      advice: `create it first: mkdir -p ${root}`,
    });
  }
  leaveHeapRoom();
  const { startS3Server } = await import('../../src/serve/s3/s3-server.ts');
  const server = await startS3Server({
    root,
    authKeys,
    readOnly,
    ...plan,
    onRequest: (report) => logRequest(emit, report),
  });
  await serveUntilStopped(invocation, server, () => {
    if (authKeys.length === 0) {
      notice(emit, 'Without --auth-key, anyone who can reach this server has full access');
    }
    notice(emit, `Serving ${root} by S3 on ${server.endpoint}${readOnly ? ' (read-only)' : ''}`);
  });
}
