import { execFile, execSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  failure as accessFailure,
  type ConfigFile,
  openConfigFile,
} from '../../../src/config/config-file.ts';
import { setIniValue } from '../../../src/config/ini-edit.ts';
import { iniSections, iniText } from '../../../src/config/ini-lines.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../src/core/events.ts';
import { partialPath } from '../../../src/names/partial-name.ts';
import { ownMark } from '../../../src/system/owner-state.ts';

/** A process that has ended. */
const DEAD = ownMark().replace(/-\w+$/, '-1');

const CHILD = fileURLToPath(new URL('./set-keys-process.ts', import.meta.url));
let dir: string;
let path: string;
let events: SyncerEvent[];
let file: ConfigFile;

const open = (at: string | undefined, keepsFormer = false) =>
  openConfigFile(
    at,
    (event) => events.push(event),
    async () => 'password',
    undefined,
    { keepsFormer },
  );
const set = (key: string, value: string) =>
  file.update((lines) => setIniValue(lines, 'x', key, value));
const failure = (code: string, text: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(text) });

beforeEach(async () => {
  dir = await fs.mkdtemp(join(tmpdir(), 'config-file-'));
  path = join(dir, 'syncer.conf');
  events = [];
  file = open(path);
});
afterEach(() => fs.rm(dir, { recursive: true }));

describe('reading', () => {
  test('a missing file is empty, and logged once', async () => {
    expect(await file.read()).toEqual([]);
    expect(await file.read()).toEqual([]);
    const fields = { path };
    expect(events).toEqual([{ type: 'log', level: 'notice', code: 'config-missing', fields }]);
  });

  test('bytes that are not UTF-8 survive a change', async () => {
    await fs.writeFile(path, Buffer.from('[x]\nk = \xff\xfe\nl = 1\n', 'latin1'));
    await set('l', '2');
    expect(await fs.readFile(path, 'latin1')).toBe('[x]\nk = \xff\xfe\nl = 2\n');
  });

  test('a directory', async () => {
    await expect(open(dir).read()).rejects.toEqual(failure('config', /it is a directory/));
    await expect(open(dir).update((lines) => lines)).rejects.toEqual(
      failure('config', /directory/),
    );
  });

  test('an error names the file and the number of a broken line, and the file stays', async () => {
    await fs.writeFile(path, '[x]\nbroken\n');
    await expect(file.read()).rejects.toEqual(failure('config', /syncer\.conf": line 2 /));
    await expect(set('k', 'v')).rejects.toEqual(failure('config', /line 2 /));
    expect(await fs.readFile(path, 'utf8')).toBe('[x]\nbroken\n');
  });

  test('a folder that is a file', async () => {
    await fs.writeFile(path, '');
    const below = open(join(path, 'c'));
    await expect(below.read()).rejects.toEqual(failure('config', /cannot be read/));
    await expect(below.update((l) => l)).rejects.toEqual(failure('config', /cannot be written/));
  });

  test('in memory', async () => {
    file = open(undefined);
    await set('k', 'v');
    expect(iniText(await file.read())).toBe('[x]\nk = v\n');
    expect(events).toEqual([]);
  });
});

describe('writing', () => {
  test('makes file and folder for their owner only', async () => {
    path = join(dir, 'a', 'b', 'c.conf');
    file = open(path);
    await set('k', 'v');
    expect((await fs.stat(path)).mode & 0o777).toBe(0o600);
    expect((await fs.stat(join(dir, 'a', 'b'))).mode & 0o777).toBe(0o700);
    expect((await fs.stat(join(dir, 'a'))).mode & 0o777).toBe(0o700);
    expect(await fs.readdir(join(dir, 'a', 'b'))).toEqual(['c.conf']);
  });

  test('keeps the mode', async () => {
    await fs.writeFile(path, '');
    await fs.chmod(path, 0o640);
    await set('k', 'v');
    expect((await fs.stat(path)).mode & 0o777).toBe(0o640);
  });

  test.each(['exists', 'is missing'])('follows a symbolic link whose target %s', async (target) => {
    await fs.mkdir(join(dir, 'real'));
    await fs.symlink('real/target.conf', path);
    if (target === 'exists') await fs.writeFile(join(dir, 'real/target.conf'), '# mine\n');
    await set('k', 'v');
    expect((await fs.lstat(path)).isSymbolicLink()).toBe(true);
    expect(await fs.readFile(join(dir, 'real/target.conf'), 'utf8')).toMatch(/\[x\]\nk = v\n$/);
  });

  test('the former file is kept for its owner only, until the password changes', async () => {
    const undo = `${path}.undo`;
    await fs.writeFile(path, '[x]\na = 0\n', { mode: 0o644 });
    await set('a', '1');
    await expect(fs.stat(undo)).rejects.toMatchObject({ code: 'ENOENT' });
    await fs.writeFile(undo, 'old', { mode: 0o644 });
    file = open(path, true);
    await set('a', '2');
    expect(await fs.readFile(undo, 'utf8')).toBe('[x]\na = 1\n');
    expect((await fs.stat(undo)).mode & 0o777).toBe(0o600);
    // What a process leaves that is killed while it writes the former file.
    await fs.writeFile(partialPath(undo, DEAD, '0'), '[x]\na = 1\n');
    await open(path).update(
      (lines) => lines,
      () => new Uint8Array(32),
    );
    expect(await fs.readdir(dir)).toEqual(['syncer.conf']);
  });

  test('what cannot be written leaves the file and nothing beside it', async () => {
    await fs.writeFile(path, '[x]\nk = old\n');
    await expect(set('k', 'two\nlines')).rejects.toEqual(failure('usage', /several lines/));
    expect(await fs.readFile(path, 'utf8')).toBe('[x]\nk = old\n');
    expect(await fs.readdir(dir)).toEqual(['syncer.conf']);
  });

  test('takes a lock that a crashed process left', async () => {
    await fs.mkdir(`${path}.lock`);
    await fs.utimes(`${path}.lock`, 1, 1);
    await set('k', 'v');
    expect(await fs.readFile(path, 'utf8')).toBe('[x]\nk = v\n');
    expect(await fs.readdir(dir)).toEqual(['syncer.conf']);
  });

  test('the wait for the lock of another process ends with the signal', async () => {
    await fs.mkdir(`${path}.lock`);
    const ending = new AbortController();
    const waiting = openConfigFile(
      path,
      () => {},
      async () => '',
      ending.signal,
    ).update((lines) => lines);
    // The first try has found the lock, so that it waits for another.
    await sleep(100);
    const reason = new SyncerError('interrupted', 'interrupted by Ctrl-C');
    ending.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await fs.rmdir(`${path}.lock`);
  });

  test.skipIf(process.platform !== 'linux')(
    'a directory that takes no lock is an error immediately',
    async () => {
      await expect(open('/proc/x.conf').update((lines) => lines)).rejects.toEqual(
        failure(
          'config',
          /"\/proc\/x\.conf" cannot be written: its directory does not accept files/,
        ),
      );
    },
  );

  test('a file that is mounted by itself is named as such', () => {
    const busy = Object.assign(new Error('rename'), { code: 'EBUSY' });
    expect(accessFailure('config file "x"', 'written', busy).message).toBe(
      'config file "x" cannot be written: it is a mount point and cannot be replaced; mount its directory instead',
    );
  });

  test('starts again if another process took the lock away', async () => {
    let calls = 0;
    await file.update((lines) => {
      calls++;
      if (calls === 1) {
        // What a process does that takes the lock for one left behind, and changes the file.
        execSync(`rmdir "${path}.lock" && printf '[other]\\na = 1\\n' > "${path}"`);
      }
      return setIniValue(lines, 'x', 'k', 'v');
    });
    expect(calls).toBe(2);
    expect(await fs.readFile(path, 'utf8')).toBe('[other]\na = 1\n\n[x]\nk = v\n');
  });
});

describe('without permission', () => {
  test('an unreadable file is an error, and stays', async () => {
    await fs.writeFile(path, '[x]\nk = v\n', { mode: 0 });
    await asNobody(async () => {
      await expect(file.read()).rejects.toEqual(failure('config', /cannot be read: permission/));
      await expect(set('k', 'new')).rejects.toEqual(failure('config', /permission denied/));
    });
    expect(await fs.readFile(path, 'utf8')).toBe('[x]\nk = v\n');
  });

  test('a file in a directory that cannot be written is an error, and stays', async () => {
    await fs.writeFile(path, '[x]\nk = v\n', { mode: 0o644 });
    await fs.chmod(dir, 0o555);
    await asNobody(async () => {
      expect(iniText(await file.read())).toBe('[x]\nk = v\n');
      await expect(set('k', 'new')).rejects.toEqual(
        failure('config', /cannot be written: permission denied for it or its directory/),
      );
    });
    await fs.chmod(dir, 0o755);
    expect(await fs.readFile(path, 'utf8')).toBe('[x]\nk = v\n');
    expect(await fs.readdir(dir)).toEqual(['syncer.conf']);
  });

  /** Root may do all: it lays down its rights meanwhile. */
  async function asNobody(work: () => Promise<void>): Promise<void> {
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) {
      await fs.chmod(dir, (await fs.stat(dir)).mode | 0o555);
      process.seteuid?.(65534);
    }
    try {
      await work();
    } finally {
      if (isRoot) process.seteuid?.(0);
      else await fs.chmod(path, 0o600);
    }
  }
});

describe('many processes', () => {
  test.each(['', ', nor when a crashed one left its lock'])(
    'eight that each set a key lose none%s',
    async (crashed) => {
      if (crashed !== '') {
        await fs.mkdir(`${path}.lock`);
        await fs.utimes(`${path}.lock`, 1, 1);
      }
      const keys = Array.from({ length: 8 }, (_, i) => `key${i}`);
      const run = promisify(execFile);
      await Promise.all(keys.map((key) => run(process.execPath, [CHILD, path, key, '2'])));
      const values = iniSections(await file.read()).get('short');
      expect(Object.fromEntries(values ?? [])).toEqual(
        Object.fromEntries(keys.map((key) => [key, '2'])),
      );
      expect(await fs.readdir(dir)).toEqual(['syncer.conf']);
    },
  );

  test('kill -9 leaves the old file or the new', async () => {
    for (let round = 0; round < 4; round++) {
      await fs.rm(`${path}.lock`, { recursive: true, force: true });
      const child = spawn(process.execPath, [CHILD, path, 'k', '100000'], { stdio: 'ignore' });
      const from = await numberIn('short');
      while ((await numberIn('short')) === from) await sleep(5);
      await sleep(round * 10);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const short = await numberIn('short');
      expect(await numberIn('long')).toBe(`${short} `.repeat(20_000).trim());
    }
  });

  async function numberIn(section: string): Promise<string | undefined> {
    return iniSections(await file.read())
      .get(section)
      ?.get('k');
  }
});

test('what a killed process left beside the file is removed with the next change, and nothing else', async () => {
  await set('a', '1');
  const left = partialPath(path, DEAD, '0');
  const others = [
    `${path}.bak`,
    partialPath(path, ownMark(), '0'),
    partialPath(`${dir}/other`, DEAD, '0'),
  ];
  for (const name of [left, ...others]) await fs.writeFile(name, 'secret');
  await set('a', '2');
  const names = (await fs.readdir(dir)).map((name) => join(dir, name));
  expect(names.sort()).toEqual([path, ...others].sort());
});

test('what was read before is used once, and never for a change', async () => {
  await fs.writeFile(path, '[x]\nk = now\n');
  const opened = () =>
    openConfigFile(
      path,
      () => {},
      async () => 'password',
      undefined,
      {
        first: Buffer.from('[x]\nk = before\n'),
      },
    );
  const given = opened();
  expect(iniText(await given.read())).toContain('before');
  expect(iniText(await given.read())).toContain('now');
  const changed = opened();
  await changed.update((lines) => setIniValue(lines, 'x', 'l', 'new'));
  expect(iniText(await changed.read())).toContain('k = now');
});
