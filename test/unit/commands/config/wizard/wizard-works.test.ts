import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { wizardWorks } from '../../../../../commands/config/wizard/wizard-works.ts';
import { openConfigFile } from '../../../../../src/config/config-file.ts';
import { encryptConfig, keyOfPassword } from '../../../../../src/config/encrypted-config.ts';
import type { Invocation } from '../../../../../src/shell/command-line/command.ts';

/** Reads a configuration in a directory `crypt`, as the import of the wizard does. */
async function importOf(content: string | Uint8Array, password?: string) {
  const directory = await mkdtemp(join(tmpdir(), 'wizard-works-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'crypt'));
  const path = join(directory, 'crypt', 'rclone.conf');
  await writeFile(path, content);
  const invocation = { flags: {}, env: {} } as unknown as Invocation;
  const own = openConfigFile(
    undefined,
    () => {},
    async () => '',
  );
  return await wizardWorks(invocation, own).readImport(path, password);
}

test('an import that fails is locked only if a password is missing or wrong', async () => {
  const box = await encryptConfig(Buffer.from('[r]\ntype = local\n'), keyOfPassword('right'));
  expect(await importOf(box)).toEqual({ isLocked: true, remotes: [] });
  expect(await importOf(box, 'wrong')).toEqual({ isLocked: true, remotes: [] });
  expect(await importOf(box, 'right')).toMatchObject({ isLocked: false, remotes: [{ name: 'r' }] });
  await expect(importOf('not a line\n')).rejects.toMatchObject({ code: 'config' });
  await expect(importOf('RCLONE_ENCRYPT_V9:\nx\n')).rejects.toMatchObject({ code: 'config' });
  await expect(importOf('RCLONE_ENCRYPT_V0:\nx\n')).rejects.toMatchObject({ code: 'config' });
});
