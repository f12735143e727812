import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { descriptorOutput } from '../../../../src/shell/output/descriptor-output.ts';
import type { OutputStream } from '../../../../src/shell/output/output.ts';

function newFolder(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'syncer-output-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

function opened(path: string, flags: string): number {
  const fd = fs.openSync(path, flags);
  onTestFinished(() => fs.closeSync(fd));
  return fd;
}

/** What is there to be read at the moment. */
function readNow(fd: number): Buffer {
  const buffer = Buffer.alloc(50_000);
  try {
    return buffer.subarray(0, fs.readSync(fd, buffer));
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'EAGAIN' });
    return Buffer.alloc(0);
  }
}

const write = (stream: OutputStream | undefined, text: string | Buffer) =>
  new Promise<Error | null | undefined>((resolve) => {
    stream?.write(Buffer.from(text), resolve);
  });

test('a file gets what is written, in order, from where it stands', async () => {
  const path = join(newFolder(), 'out');
  fs.writeFileSync(path, 'before\n');
  const stream = descriptorOutput(opened(path, 'a'));
  const large = Buffer.alloc(3_000_000, 'large ');
  expect(await Promise.all([write(stream, 'a'), write(stream, large), write(stream, 'b')])).toEqual(
    [undefined, undefined, undefined],
  );
  expect(fs.readFileSync(path, 'latin1')).toBe(`before\na${large}b`);
});

test('what cannot be written is told to the writer and to those who listen', async () => {
  const path = join(newFolder(), 'out');
  fs.writeFileSync(path, '');
  const stream = descriptorOutput(opened(path, 'r'));
  const told: Error[] = [];
  stream?.on('error', (error) => told.push(error));
  const error = await write(stream, 'x');
  expect(error).toMatchObject({ code: 'EBADF' });
  expect(told).toEqual([error]);
});

test('terminals, other devices and closed descriptors are left to Node', () => {
  expect(descriptorOutput(opened('/dev/null', 'w'))).toBeUndefined();
  expect(descriptorOutput(1_000_000)).toBeUndefined();
});

test('a pipe takes everything, also where it is full and nobody may wait for it', async () => {
  const path = join(newFolder(), 'pipe');
  const made = spawn('mkfifo', [path]);
  await new Promise((resolve) => made.on('exit', resolve));
  const { O_RDWR, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(path, O_RDWR | O_NONBLOCK);
  const stream = descriptorOutput(fd);
  const content = Buffer.alloc(300_000, 'content ');
  const writing = write(stream, content);
  const got: Buffer[] = [];
  for (let size = 0; size < content.length; ) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const bytes = readNow(fd);
    got.push(bytes);
    size += bytes.length;
  }
  expect(await writing).toBeUndefined();
  expect(Buffer.concat(got).equals(content)).toBe(true);
  fs.closeSync(fd);
});
