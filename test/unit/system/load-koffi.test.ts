import fs from 'node:fs';
import { expect, test } from 'vitest';
import { koffiAddress, koffiFile, loadKoffi } from '../../../src/system/libc.ts';

interface Koffi {
  readonly version: string;
  load(library: null): {
    func(name: string, result: string, parameters: readonly string[]): () => number;
  };
}

const isKnown = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);

test.runIf(isKnown)("koffi's native part is where it is looked for", () => {
  expect(fs.existsSync(koffiFile() ?? '')).toBe(true);
  expect(koffiAddress()).toMatch(/^file:.*\/node_modules\/koffi\//);
});

test('koffi calls the C library, and is the version that its module would load', async () => {
  const koffi = await loadKoffi<Koffi>();
  expect(koffi.load(null).func('getpid', 'int', [])()).toBe(process.pid);
  const { default: viaModule } = await import('koffi');
  expect(koffi.version).toBe(viaModule.version);
  expect(await loadKoffi()).toBe(koffi);
});
