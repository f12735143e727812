import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import { op, openOverFolder } from './folder-contents.ts';

const ROUNDS = Number(process.env['SYNCER_TEST_KILLS'] ?? 3);
const WRITER = join(import.meta.dirname, 'killed-writer.ts');

test('what was closed survives kill -9, again and again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'syncer-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [root, cacheDir] = [join(folder, 'remote'), join(folder, 'cache')];
  mkdirSync(root);
  // What each may be: what was closed last, or what was begun after that.
  const files = new Map<string, (string | undefined)[]>();
  for (let round = 0; round < ROUNDS; round++) {
    await runAndKill(root, cacheDir, files);
    // Sometimes the next writer finds what waits, sometimes it has been uploaded.
    if (round % 2 === 0 && round < ROUNDS - 1) continue;
    const contents = await openOverFolder(root, cacheDir, 0);
    await contents.drain(op);
    await contents.close();
    for (const [name, allowed] of files) {
      const found = hashAt(join(root, name));
      expect(allowed, `${name} is ${found}`).toContain(found);
      files.set(name, [found]);
    }
  }
});

async function runAndKill(
  root: string,
  cacheDir: string,
  files: Map<string, (string | undefined)[]>,
): Promise<void> {
  const writer = spawn(process.execPath, [WRITER, root, cacheDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  writer.stdout.on('data', (chunk: Buffer) => {
    said += String(chunk);
  });
  const ended = new Promise((resolve) => writer.on('close', resolve));
  await waitFor(() => said.includes('closed'), ended);
  await sleep(Math.random() * 400);
  writer.kill('SIGKILL');
  await ended;
  for (const line of said.slice(0, said.lastIndexOf('\n')).split('\n')) {
    const [word, name = '', hash] = line.split(' ');
    if (word === 'begin') files.set(name, [...(files.get(name) ?? [undefined]), hash]);
    if (word === 'closed') files.set(name, [hash]);
  }
}

function hashAt(path: string): string | undefined {
  try {
    return createHash('md5').update(readFileSync(path)).digest('hex');
  } catch {
    return undefined;
  }
}
