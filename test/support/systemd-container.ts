import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canMount } from './mount-disk.ts';

/** Whether a systemd of its own may be started: as root, where one can mount, with `systemd-nspawn`. */
export const canBoot = canMount && spawnSync('systemd-nspawn', ['--version']).status === 0;

/** How a trial inside the container went. */
export interface Trial {
  /** What the script wrote to standard output, and to standard error; what systemd said where it did not start. */
  readonly output: string;
  /** Whether this machine lets a container start at all. */
  readonly started: boolean;
  /** Its exit code. */
  readonly code: number;
}

const run = promisify(execFile);

/** A system that does not end by itself is ended. */
const LIMITS = { timeout: 120_000, killSignal: 'SIGKILL' } as const;

/** Boots this, and nothing else of the machine's own services. */
const TARGET = `[Unit]
Requires=trial.service basic.target
After=basic.target
AllowIsolate=yes
`;

const SERVICE = `[Unit]
Requires=basic.target
After=basic.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c '/trial/script >/trial/output 2>&1; echo $? >/trial/code'
ExecStopPost=/bin/systemctl --no-block exit 0
`;

/**
 * Boots systemd on a copy of this machine's system that lives in memory, with a network of its own, runs a script as a
 * service in there, and ends it. What the script changes is gone afterwards.
 *
 * @param script for `sh`
 * @param files seen by the script under `/trial/`, by name
 * @param folders of this machine that it may read, at the same paths
 */
export async function inContainer(
  script: string,
  files: Readonly<Record<string, Uint8Array>>,
  folders: readonly string[],
): Promise<Trial> {
  const dir = mkdtempSync(join(tmpdir(), 'syncer-container-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'none', dir]);
    const at = (name: string) => join(dir, name);
    for (const name of ['upper', 'work', 'system']) mkdirSync(at(name));
    const layers = `lowerdir=/,upperdir=${at('upper')},workdir=${at('work')}`;
    execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, at('system')]);
    const trial = at('system/trial');
    mkdirSync(trial);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(trial, name), content);
    writeFileSync(join(trial, 'script'), `#!/bin/sh\n${script}`);
    chmodSync(join(trial, 'script'), 0o755);
    writeFileSync(at('system/etc/systemd/system/trial.target'), TARGET);
    writeFileSync(at('system/etc/systemd/system/trial.service'), SERVICE);
    const words = [
      ...['--directory', at('system'), '--boot', '--private-network', '--register=no'],
      ...['--keep-unit', '--link-journal=no', '--quiet'],
      ...folders.map((folder) => `--bind-ro=${folder}`),
      'systemd.unit=trial.target',
    ];
    const said = await run('systemd-nspawn', words, LIMITS).catch((failure: object) => failure);
    const { stdout, stderr } = { stdout: '', stderr: '', ...said };
    const read = (name: string) => {
      try {
        return readFileSync(join(trial, name), 'utf8');
      } catch {
        return undefined;
      }
    };
    const output = read('output');
    return {
      output: output ?? `${stdout}${stderr}`,
      started: output !== undefined,
      code: Number(read('code') ?? Number.NaN),
    };
  } finally {
    spawnSync('umount', [join(dir, 'system')]);
    spawnSync('umount', [dir]);
    rmSync(dir, { recursive: true, force: true });
  }
}
