import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startS3Server } from '../../src/serve/s3/s3-server.ts';
import type { CommandCall, Environment } from '../../src/shell/command-line/command.ts';
import { screenTerminal } from '../../src/shell/interactive/screen-terminal.ts';
import { wrap } from '../../src/terminal/cells.ts';
import { runAsStep } from '../home/use.ts';

export async function demoCommand(invocation: CommandCall & Environment): Promise<void> {
  screenTerminal(invocation);
  const dir = await mkdtemp(join(tmpdir(), 'syncer-demo-'));
  try {
    await mkdir(join(dir, 'store'));
    const secret = randomBytes(16).toString('hex');
    const authKeys = [{ accessKeyId: 'demo', secretAccessKey: secret }];
    const server = await startS3Server({ root: join(dir, 'store'), port: 0, authKeys });
    try {
      const options = `type = s3\nprovider = Other\naccess_key_id = demo\nsecret_access_key = ${secret}`;
      const config = `[demo]\n${options}\nendpoint = ${server.endpoint}\n`;
      await writeFile(join(dir, 'syncer.conf'), config, { mode: 0o600 });
      await writeFiles(join(dir, 'holiday'));
      await tour(invocation, dir);
    } finally {
      await server.close();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
    say(`Deleted ${dir} with all of it.`);
  }
}

const SYNC = ['sync', 'holiday', 'demo:photos', '--review', '-P'];

/** The steps of the tour; `prepare`: what happens before one. */
const STEPS: readonly {
  readonly text: string;
  readonly words: readonly string[];
  readonly prepare?: (files: string) => Promise<void>;
}[] = [
  {
    text: 'See what uses the space. Arrows move, Enter opens, d deletes, q quits.',
    words: ['ncdu', 'holiday'],
  },
  {
    text: 'Copy the directory into a bucket: first the plan; a applies it, q changes nothing.',
    words: SYNC,
  },
  {
    text: 'A text was edited and a photo deleted. The next plan has only these two changes.',
    words: SYNC,
    async prepare(files) {
      await appendFile(join(files, 'diary.txt'), 'One more line.\n');
      await rm(join(files, 'photos/img_07.jpg'));
    },
  },
  {
    text: 'Compare the contents of both sides.',
    words: ['check', 'holiday', 'demo:photos', '--checksum', '-P'],
  },
  { text: 'The same browser works in buckets.', words: ['ncdu', 'demo:photos'] },
];

async function tour(invocation: CommandCall & Environment, dir: string): Promise<void> {
  say(`This demo has a directory with files, ${dir}/holiday, and an S3 server on this machine.`);
  say('The remote demo: is that server. Both are deleted at the end.');
  // The user's own environment without settings of syncer; nothing is stored outside of the demo.
  const kept = Object.entries(invocation.env).filter(([name]) => {
    return name === 'SYNCER_PLAIN' || !/^(SYNCER|RCLONE|AWS)_/.test(name);
  });
  const env = {
    ...Object.fromEntries(kept),
    SYNCER_CONFIG: join(dir, 'syncer.conf'),
    SYNCER_NO_HISTORY: 'true',
    XDG_CACHE_HOME: join(dir, 'cache'),
    XDG_STATE_HOME: join(dir, 'state'),
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  };
  for (const [at, { text, words, prepare }] of STEPS.entries()) {
    await prepare?.(join(dir, 'holiday'));
    say('', `${at + 1} of ${STEPS.length}. ${text}`);
    if (!(await runAsStep({ words, hasScreen: false, dir, env }, invocation))) return;
  }
  say('', 'That was it. Create a remote of your own with: syncer config');
}

/** Writes paragraphs, as wide as the terminal. */
function say(...texts: readonly string[]): void {
  const columns = Math.min(100, process.stdout.columns || 80);
  const lines = texts.flatMap((text) => (text === '' ? [''] : wrap(text, columns)));
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function writeFiles(dir: string): Promise<void> {
  const photos = Array.from({ length: 12 }, (_, at) => {
    return [`photos/img_${String(at + 1).padStart(2, '0')}.jpg`, (at + 2) * 40_000] as const;
  });
  const files = [
    ...photos,
    ['videos/harbour.mp4', 4_000_000],
    ['music/waltz.ogg', 900_000],
    ['music/nocturne.ogg', 650_000],
    ['diary.txt', 1_500],
  ] as const;
  for (const [at, [path, size]] of files.entries()) {
    await mkdir(join(dir, dirname(path)), { recursive: true });
    await writeFile(join(dir, path), Buffer.alloc(size, `${path}\n`));
    const time = Date.now() / 1000 - (at + 1) * 7 * 86_400;
    await utimes(join(dir, path), time, time);
  }
}
