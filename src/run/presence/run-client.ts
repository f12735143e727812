import { SyncerError } from '../../core/errors.ts';
import { connectLines, LineClient } from '../../system/line-client.ts';
import { RUN_PROTOCOL, type RunNews, type RunQuestion, type RunStatus } from './run-protocol.ts';

/** A connection to a running run. */
export class RunClient extends LineClient<RunQuestion, RunNews> {
  /** The version of its program. */
  version = '';
  #protocol = 0;

  /** Connects, and waits for the first line. Rejects with `no-answer` if nothing answers. */
  static async open(id: string, path: string): Promise<RunClient> {
    const missing = () => new SyncerError('no-answer', `run ${id} does not answer`);
    const client = new RunClient(await connectLines(path, missing), `run ${id}`);
    const hello = Promise.withResolvers<void>();
    const late = setTimeout(() => hello.reject(missing()), 2_000);
    const stop = client.on((event) => {
      if (event.event !== 'hello') return;
      client.version = event.version;
      client.#protocol = event.protocol;
      hello.resolve();
    });
    void client.closed.then(() => hello.reject(missing()));
    try {
      await hello.promise;
      return client;
    } catch (thrown) {
      client.close();
      throw thrown;
    } finally {
      clearTimeout(late);
      stop();
    }
  }

  /** Whether it understands the questions of this version. */
  get isKnown(): boolean {
    return this.#protocol === RUN_PROTOCOL;
  }

  /** How far it is, after a question. Rejects with what the run says against it, and for a run of another version. */
  async status(question: RunQuestion): Promise<RunStatus> {
    const text = `the run is of syncer ${this.version}: use that version`;
    if (!this.isKnown) throw new SyncerError('unsupported', text);
    return (await this.ask(question)) as RunStatus;
  }
}
