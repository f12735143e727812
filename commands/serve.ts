import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Invocation } from '../src/app/command.ts';
import { logText } from '../src/app/log/log-text.ts';
import { shownHead } from '../src/app/log/secret-fields.ts';
import { leaveHeapRoom } from '../src/app/process/limit-heap.ts';
import { SyncerError } from '../src/core/errors.ts';
import type { Emit } from '../src/core/events.ts';
import { parseAccessKey, parseListenAddress } from '../src/serve/listen-address.ts';
import type { RequestReport } from '../src/serve/s3/handle-request.ts';
import { startS3Server } from '../src/serve/s3/s3-server.ts';

/** `syncer serve s3 path` */
export async function serveCommand({ args, flags, context }: Invocation): Promise<void> {
  const [protocol, root = ''] = args;
  if (protocol !== 's3') {
    throw new SyncerError('command-line', `unknown protocol "${protocol}": use s3`);
  }
  if (/^:?[^/:]+:/.test(root)) {
    throw new SyncerError('usage', `serve s3 serves a local directory, not ${root}`);
  }
  const { signal, emit } = context;
  const authKeys = flags['auth-key'].map(parseAccessKey);
  const readOnly = flags['read-only'];
  const { host, port } = parseListenAddress(flags.addr);
  if (!existsSync(root)) {
    throw new SyncerError('directory-not-found', `cannot serve ${root}: no such directory`, {
      path: root,
      advice: `create it first: mkdir -p ${root}`,
    });
  }
  signal.throwIfAborted();
  leaveHeapRoom();
  const server = await startS3Server({
    ...{ root, host, port, authKeys, readOnly },
    onRequest: (report) => logRequest(emit, report),
  });
  try {
    if (authKeys.length === 0) {
      notice(emit, 'Without --auth-key, anyone who can reach this server has full access');
    }
    notice(emit, `Serving ${root} by S3 on ${server.endpoint}${readOnly ? ' (read-only)' : ''}`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await server.close();
  }
  signal.throwIfAborted();
}

function notice(emit: Emit, message: string): void {
  emit(logText('notice', message));
}

function logRequest(emit: Emit, report: RequestReport): void {
  const { method, url, status, code, tookMs, failure } = report;
  const request = shownHead(`${method} ${url}`);
  const what = `${request} ${status}${code ? ` ${code}` : ''} in ${tookMs.toFixed(1)} ms`;
  emit(logText('info', what));
  if (failure === undefined) return;
  const why = failure instanceof Error ? failure.message : String(failure);
  const error = new SyncerError('other', `${what}: ${why}`, { cause: failure });
  const fields = { text: error.message, error };
  emit({ type: 'log', level: 'error', code: 'message', fields });
}
