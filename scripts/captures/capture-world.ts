import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { startTmux, type TmuxTerminal } from '../../test/support/start-tmux.ts';

/** A home with remotes and files in it, in which the screens are captured. */
export interface CaptureWorld {
  readonly home: string;
  /** A terminal in which `syncer` is the built program. */
  terminal(columns: number, rows: number): Promise<TmuxTerminal>;
  remove(): Promise<void>;
}

const program = resolve(import.meta.dirname, '../../dist/syncer.js');

/** Files of the world, with sizes in bytes. They hold nothing but holes. */
const FILES: Readonly<Record<string, number>> = {
  'photos/2024/summer/beach.jpg': 4_812_331,
  'photos/2024/summer/sunset.jpg': 5_201_776,
  'photos/2024/summer/video.mp4': 734_003_200,
  'photos/2024/winter/snow.jpg': 3_998_104,
  'photos/2025/市場.jpg': 6_100_221,
  'photos/2025/birthday/cake.jpg': 2_733_100,
  'photos/2025/birthday/film.mov': 1_288_490_188,
  'photos/raw/0001.dng': 48_331_776,
  'photos/raw/0002.dng': 47_906_816,
  'photos/index.html': 18_220,
  'documents/letter.odt': 32_100,
  'documents/taxes/2024.pdf': 883_120,
};

const CONFIG = (home: string) => `[photos]
type = alias
remote = ${home}/photos

[backup]
type = s3
provider = Other
access_key_id = AKIDEXAMPLE
secret_access_key = not-a-real-secret
endpoint = https://s3.example.com

[office]
type = drive_provider_a
token = {"access_token":"x","refresh_token":"y","expiry":"2030-01-01T00:00:00Z"}
drive_type = business
drive_id = b!example
`;

/** Makes one. */
export async function makeCaptureWorld(): Promise<CaptureWorld> {
  const home = await mkdtemp(join(tmpdir(), 'syncer-captures-'));
  for (const [path, size] of Object.entries(FILES)) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(file, 'w');
    await handle.truncate(size);
    await handle.close();
  }
  await mkdir(join(home, '.config/syncer'), { recursive: true });
  await writeFile(join(home, '.config/syncer/syncer.conf'), CONFIG(home), { mode: 0o600 });
  await mkdir(join(home, 'bin'));
  const script = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`;
  await writeFile(join(home, 'bin/syncer'), script, { mode: 0o755 });
  return {
    home,
    async terminal(columns, rows) {
      const env = {
        HOME: home,
        PATH: `${home}/bin:${process.env['PATH']}`,
        XDG_CONFIG_HOME: '',
        XDG_CACHE_HOME: '',
        XDG_STATE_HOME: '',
      };
      const terminal = await startTmux({ columns, rows, env, cwd: home });
      await terminal.type('clear');
      await terminal.keys('Enter');
      return terminal;
    },
    remove: () => rm(home, { recursive: true, force: true }),
  };
}
