import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { openRawKeys } from '../../../../src/shell/process/raw-keys.ts';
import { type Key, namedKey, textKey } from '../../../../src/terminal/key.ts';

test('keys in pieces are whole, answers of the terminal are none, Escape alone is one after its wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const input = new PassThrough();
    const pressed: Key[] = [];
    const keys = openRawKeys(
      input,
      () => {},
      (key) => pressed.push(key),
    );
    const pieces = ['\x1b]11;rg', 'b:00\x07q', '\x1b', '[B', '\xc3', '\xa9', '\x1bP>|q', '\x1b\\'];
    for (const piece of pieces) {
      input.write(Buffer.from(piece, 'latin1'));
      await vi.advanceTimersByTimeAsync(150);
    }
    expect(pressed.splice(0)).toEqual([textKey('q'), namedKey('down'), textKey('é')]);
    input.write('\x1b');
    await vi.advanceTimersByTimeAsync(290);
    expect(pressed).toEqual([]);
    await vi.advanceTimersByTimeAsync(20);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pressed.splice(0)).toEqual([namedKey('escape')]);
    input.write('\x1b');
    await vi.advanceTimersByTimeAsync(10);
    keys.close();
    await vi.advanceTimersByTimeAsync(1000);
    expect(pressed).toEqual([]);
    // Both the wait and what came in it are over when the process, which was busy, looks.
    const busy = openRawKeys(
      input,
      () => {},
      (key) => pressed.push(key),
    );
    input.write('\x1b');
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(400);
    input.write('[B');
    await new Promise((resolve) => setImmediate(resolve));
    busy.close();
    expect(pressed).toEqual([namedKey('down')]);
  } finally {
    vi.useRealTimers();
  }
});
