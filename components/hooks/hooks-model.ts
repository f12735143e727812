import type { Key } from '../../src/terminal/key.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import { StateScreen } from '../../src/terminal/state-screen.ts';
import type { ControlClient, ControlEvent } from '../../src/webhook/control/control-client.ts';
import { hooksKeys, takeKey } from './hooks-keys.ts';
import {
  FIRST_STATE,
  type HooksEffect,
  type HooksEvent,
  type HooksState,
  runAtCursor,
  takeEvent,
} from './hooks-state.ts';

/** What the screen needs of a server; `ControlClient` has it. */
export type HookServer = Pick<
  ControlClient,
  'hooks' | 'history' | 'run' | 'rerun' | 'watch' | 'follow' | 'on' | 'closed'
>;

/** The screen of the hooks of a server: keys and events change its state, and its effects are carried out here. */
export class HooksModel extends StateScreen<HooksState, HooksEffect> {
  readonly #server: HookServer;
  /** In milliseconds since 1970. */
  readonly nowMs: () => number;
  /** The run whose output is followed. */
  #followed:
    | { readonly run: string; readonly decoder: InstanceType<typeof TextDecoder> }
    | undefined;
  readonly #following = new Set<string>();
  /** The run whose output stands beside the list, in its state, and whether it is being asked for. */
  #beside = '';
  #isAsking = false;

  constructor(server: HookServer, nowMs: () => number) {
    super(FIRST_STATE);
    this.#server = server;
    this.nowMs = nowMs;
    server.on((event) => this.#hear(event));
    void server.closed.then(() => this.#happen({ type: 'gone' }));
    void this.#attempt(async () => {
      await server.watch();
      const [hooks, runs] = await Promise.all([server.hooks(), server.history()]);
      this.#happen({ type: 'hooks', hooks });
      this.#happen({ type: 'history', runs });
    });
  }

  protected override takeKey(key: Key) {
    const { message, connected, filter } = this.state;
    const { inner } = layoutOf(this.size, true);
    const status = message !== undefined || !connected ? 1 : 0;
    const rows = contentRows(inner, status + (filter === undefined ? 0 : 1));
    return takeKey(this.state, key, { columns: inner.columns, rows });
  }

  protected override carryOut(effect: HooksEffect): void {
    void this.#attempt(async () => {
      switch (effect.type) {
        case 'quit':
          return this.ended.resolve();
        case 'close':
          this.#followed = undefined;
          return;
        case 'rerun':
          return this.#happen({ type: 'rerun', run: await this.#server.rerun(effect.run) });
        case 'open':
          return await this.#open(effect.run);
      }
    });
  }

  protected override changed(): void {
    super.changed();
    this.#askBeside();
  }

  /** Asks for the output of the run under the cursor, one run at a time. */
  #askBeside(): void {
    const run = runAtCursor(this.state);
    const { isWide } = layoutOf(this.size, true);
    if (run === undefined || !isWide || !this.state.connected || this.#isAsking) return;
    const of = `${run.id} ${run.state}`;
    if (of === this.#beside) return;
    this.#beside = of;
    this.#isAsking = true;
    const ask = async () => {
      const { output } = await this.#server.run(run.id);
      const text = Buffer.from(output, 'base64').toString();
      this.#isAsking = false;
      this.#happen({ type: 'beside', run: run.id, output: text });
    };
    // A run may no longer be kept: then nothing stands there.
    void ask().catch(() => {
      this.#isAsking = false;
    });
  }

  /** The keys that work now. */
  keys() {
    return hooksKeys(this.state);
  }

  /** The run that would be run again. */
  asked() {
    return this.state.asked;
  }

  #hear(event: ControlEvent): void {
    if (event.event === 'run') this.#happen({ type: 'run', run: event.run });
    if (event.event === 'hooks') this.#happen({ type: 'hooks', hooks: event.hooks });
    if (event.event !== 'output' || event.run !== this.#followed?.run) return;
    const bytes = Buffer.from(event.data, 'base64');
    const text = this.#followed.decoder.decode(bytes, { stream: true });
    this.#happen({ type: 'output', run: event.run, text });
  }

  #happen(event: HooksEvent): void {
    this.apply(takeEvent(this.state, event));
  }

  /** A run is followed once a connection: of one that was open before what is kept is asked for. */
  async #open(run: string): Promise<void> {
    const decoder = new TextDecoder();
    const isNew = !this.#following.has(run);
    this.#following.add(run);
    if (isNew) this.#followed = { run, decoder };
    const details = await this.#server.run(run);
    this.#happen({ type: 'details', details });
    if (isNew) {
      await this.#server.follow(run);
      return;
    }
    const text = decoder.decode(Buffer.from(details.output, 'base64'), { stream: true });
    this.#followed = { run, decoder };
    this.#happen({ type: 'output', run, text });
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      this.#happen({ type: 'failed', message });
    }
  }
}
