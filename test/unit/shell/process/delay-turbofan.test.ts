import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import v8 from 'node:v8';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { delayTurboFan } from '../../../../src/shell/process/delay-turbofan.ts';
import { withFirstFlags } from '../../../../src/system/v8-flags.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('is used again in a long run, and as at the start while compiled code is read', () => {
  const told = vi.spyOn(v8, 'setFlagsFromString').mockReturnValue();
  // Other tests of this process may have changed other flags.
  const flags = () => told.mock.calls.flat().filter((flag) => flag.endsWith('turbofan'));
  delayTurboFan();
  expect(flags()).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(flags()).toEqual(['--no-turbofan']);
  told.mockClear();
  withFirstFlags(() => expect(flags()).toEqual(['--turbofan']));
  expect(flags()).toEqual(['--turbofan', '--no-turbofan']);
  told.mockClear();
  vi.advanceTimersByTime(2000);
  expect(flags()).toEqual(['--turbofan']);
});

test('is never used where V8 must not compile (--jitless)', () => {
  const told = vi.spyOn(v8, 'setFlagsFromString').mockReturnValue();
  vi.stubGlobal('WebAssembly', undefined);
  delayTurboFan();
  vi.advanceTimersByTime(5000);
  expect(told).not.toHaveBeenCalled();
});

test('does not keep the program alive', async () => {
  const module = join(import.meta.dirname, '../../../../src/shell/process/delay-turbofan.ts');
  const script = `
    const { delayTurboFan } = await import(${JSON.stringify(module)});
    delayTurboFan();
    process.stdout.write(String(process.getActiveResourcesInfo().includes('Timeout')));
  `;
  const args = ['--input-type=module', '-e', script];
  expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('false');
});
