import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The S3 server that the programs are measured against. It can answer late, and lists a million objects that are not there. */
export type BenchServer = Awaited<ReturnType<typeof startBenchServer>>;

/** Starts it, in a process of its own, over an empty folder. */
export async function startBenchServer(root: string) {
  const [accessKeyId, secretAccessKey] = ['bench-access-key', 'bench-secret-key'];
  const child = fork(join(import.meta.dirname, 'serve.ts'), [root, accessKeyId, secretAccessKey]);
  const { endpoint } = await answerOf<{ endpoint: string }>(child);
  return {
    endpoint,
    accessKeyId,
    secretAccessKey,
    setLatency: (latencyMs: number) => void child.send({ latencyMs }),
    /** Requests since the last call. */
    async takeRequests() {
      const answer = answerOf<{ requests: number }>(child);
      child.send({ count: true });
      return (await answer).requests;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const failed = new AbortController();
  const onExit = () => failed.abort(new Error('the server of the bench ended'));
  child.once('exit', onExit);
  try {
    const [answer] = await once(child, 'message', { signal: failed.signal });
    return answer as T;
  } finally {
    child.off('exit', onExit);
  }
}
