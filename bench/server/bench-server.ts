import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The S3 server that the programs are measured against. */
export interface BenchServer {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** What only the bench's own server can: answer late, count requests, list a million objects that are not there. */
  readonly own?: {
    setLatency(ms: number): void;
    /** Requests since the last call. */
    takeRequests(): Promise<number>;
  };
  stop(): Promise<void>;
}

/** Starts the bench's own server, in a process of its own, over an empty folder. */
export async function startBenchServer(root: string): Promise<BenchServer> {
  const [accessKeyId, secretAccessKey] = ['bench-access-key', 'bench-secret-key'];
  const child = fork(join(import.meta.dirname, 'serve.ts'), [root, accessKeyId, secretAccessKey]);
  const { endpoint } = await answerOf<{ endpoint: string }>(child);
  return {
    endpoint,
    accessKeyId,
    secretAccessKey,
    own: {
      setLatency: (latencyMs) => void child.send({ latencyMs }),
      async takeRequests() {
        const answer = answerOf<{ requests: number }>(child);
        child.send({ count: true });
        return (await answer).requests;
      },
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** A server that runs already; keys from `BENCH_ACCESS_KEY_ID` and `BENCH_SECRET_ACCESS_KEY`. */
export function foreignServer(endpoint: string, env: NodeJS.ProcessEnv): BenchServer {
  return {
    endpoint,
    accessKeyId: env['BENCH_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: env['BENCH_SECRET_ACCESS_KEY'] ?? '',
    stop: async () => undefined,
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
