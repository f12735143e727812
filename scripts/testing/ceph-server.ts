import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const scripts = resolve(import.meta.dirname, '../ceph');

/** A running S3 server of Ceph: what the tests must have in their environment, and how to end it. */
interface CephServer {
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts Ceph's S3 server. Where it cannot be had, says why and resolves to `undefined`. */
export async function startCeph(signal: AbortSignal): Promise<CephServer | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'syncer-ceph-'));
  const data = join(folder, 'data');
  const stop = async () => {
    await run(join(scripts, 'stop'), [data]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { stdout } = await run(join(scripts, 'start'), [data], { signal });
    const lines = stdout.trim().split('\n');
    const env = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    return { env, stop };
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    console.error((stderr ?? message).trim());
    await stop();
    return undefined;
  }
}
