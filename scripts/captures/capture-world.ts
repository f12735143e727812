import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTmux, type TmuxTerminal } from '../../test/support/start-tmux.ts';
import { type CaptureStore, START_MS } from './capture-store.ts';
import { holdObjects, type ObjectHolder } from './hold-objects.ts';

/** A home with remotes in it and a terminal, in which one screen is captured. Its clock stands still. */
export interface CaptureWorld {
  readonly home: string;
  /** A terminal in which `syncer` and `webhook` are the built programs. */
  readonly terminal: TmuxTerminal;
  /** The proxy before the store. It holds back what lies below `photos/raw`. */
  readonly holder: ObjectHolder;
  /** Types a line into the terminal. */
  enter(line: string): Promise<void>;
  /** Runs a line of shell in it to its end. */
  run(line: string): Promise<void>;
  /** Leaves nothing but the prompt on it. */
  clear(): Promise<void>;
  /** The screen with its escape sequences, once it stays the same for longer than any waits between two frames. */
  settled(): Promise<string>;
  /** Puts the clock on. */
  advance(seconds: number): Promise<void>;
  remove(): Promise<void>;
}

const CONFIG = `[photos]
type = alias
remote = nas:photos

[nas]
type = s3
provider = Minio
access_key_id = my-key
secret_access_key = my-secret
endpoint = http://nas.home:9000

[office]
type = onedrive
token = {"access_token":"x","refresh_token":"y","expiry":"2030-01-01T00:00:00Z"}
drive_type = business
drive_id = b!example
`;

/** A busy machine takes its time. */
const SETTLED_MS = 300;

const PROGRAMS = { syncer: 'dist/syncer.js', webhook: 'packages/syncer-webhook/dist/webhook.js' };

/** What of the user's environment would change a picture. */
const CLEARED = [
  'COLORTERM',
  'FORCE_COLOR',
  'NO_PROXY',
  'XDG_CONFIG_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
  'http_proxy',
  'no_proxy',
];

/** Creates one before `store`. */
export async function makeCaptureWorld(
  store: CaptureStore,
  size: { readonly columns: number; readonly rows: number },
): Promise<CaptureWorld> {
  const home = await mkdtemp(join(tmpdir(), 'syncer-captures-'));
  await writeFile(join(home, 'syncer.conf'), CONFIG, { mode: 0o600 });
  const clock = await open(join(home, '.clock'), 'w');
  let nowMs = START_MS;
  const setClock = async () => void (await clock.write(String(nowMs), 0));
  await setClock();
  await mkdir(join(home, 'bin'));
  for (const [name, path] of Object.entries(PROGRAMS)) {
    const program = resolve(import.meta.dirname, '../..', path);
    const loaded = resolve(import.meta.dirname, 'held-clock.ts');
    const script = `#!/bin/sh\nexec '${process.execPath}' --import '${loaded}' '${program}' "$@"\n`;
    await writeFile(join(home, 'bin', name), script, { mode: 0o755 });
  }
  const holder = await holdObjects(store.port, '/photos/raw/');
  const env = {
    HOME: home,
    PATH: `${home}/bin:${process.env['PATH']}`,
    CAPTURE_CLOCK: join(home, '.clock'),
    SYNCER_CONFIG: 'syncer.conf',
    TZ: 'UTC',
    XDG_CACHE_HOME: store.cache,
    HTTP_PROXY: holder.url,
    ...Object.fromEntries(CLEARED.map((name) => [name, ''])),
  };
  const tmux = await startTmux({ ...size, env, cwd: home });
  const keys: TmuxTerminal['keys'] = async (...names) => {
    // What is typed before a screen reads its keys is lost.
    await world.settled();
    await tmux.keys(...names);
  };
  const terminal = { ...tmux, keys };
  const world: CaptureWorld = {
    home,
    terminal,
    holder,
    async enter(line) {
      await tmux.type(line);
      await tmux.keys('Enter');
    },
    async run(line) {
      await world.enter(`${line}; echo $((6 * 7)) done`);
      await terminal.waitFor('42 done');
    },
    async clear() {
      await world.enter('clear');
      await terminal.waitFor(/^\$$/);
    },
    async settled() {
      let before: string | undefined;
      for (;;) {
        const text = await terminal.screen(true);
        if (text === before) return text.replaceAll(home, '/home/ann');
        before = text;
        await sleep(SETTLED_MS);
      }
    },
    async advance(seconds) {
      nowMs += seconds * 1000;
      await setClock();
    },
    async remove() {
      await terminal.close();
      holder.close();
      await clock.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return world;
}
