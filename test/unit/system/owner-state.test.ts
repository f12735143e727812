import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ownerState, ownMark } from '../../../src/system/owner-state.ts';
import { markOfDeadProcess } from '../core/dead-process.ts';

const [place = '', , start = ''] = ownMark().split('-');
const markOf = (pid: number, startOf: string) => [place, pid.toString(36), startOf].join('-');

describe('the process that writes a temporary file', () => {
  it('is alive where it is this one', () => {
    expect(ownMark()).toMatch(/^[0-9a-f]{8}-[0-9a-z]+-[0-9a-z]+$/);
    expect(ownerState(ownMark())).toBe('alive');
  });

  it('is dead once it has ended', () => {
    const mark = markOfDeadProcess();
    expect(mark.startsWith(`${place}-`)).toBe(true);
    expect(ownerState(mark)).toBe('dead');
  });

  it('is elsewhere on another machine, in another container, or after a restart', () => {
    expect(ownerState(`00000000-${process.pid.toString(36)}-${start}`)).toBe('elsewhere');
    expect(ownerState('')).toBe('elsewhere');
  });

  it.skipIf(process.platform !== 'linux')('is dead where another one has its number', async () => {
    const other = spawn('sleep', ['60']);
    await once(other, 'spawn');
    expect(ownerState(markOf(other.pid ?? 0, '1'))).toBe('dead');
    other.kill();
    await once(other, 'exit');
    expect(ownerState(markOf(process.pid, start))).toBe('alive');
  });

  it.skipIf(process.platform !== 'linux')(
    'is dead where nobody has asked yet how it ended',
    async () => {
      // The shell's child ends; what the shell becomes never asks.
      const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60']);
      const [line] = await once(parent.stdout, 'data');
      const pid = Number(String(line));
      const stat = () =>
        fs
          .readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
      await expect.poll(() => stat()[0]).toBe('Z');
      expect(ownerState(markOf(pid, Number(stat()[19]).toString(36)))).toBe('dead');
      parent.kill();
      await once(parent, 'exit');
    },
  );

  it.skipIf(process.geteuid?.() !== 0)('is alive where it is not ours to signal', () => {
    const fields = fs.existsSync('/proc/1/stat') ? fs.readFileSync('/proc/1/stat', 'utf8') : '';
    const ticks = fields.replace(/^.*\) /s, '').split(' ')[19];
    process.seteuid?.(65_534);
    try {
      expect(ownerState(markOf(1, Number(ticks).toString(36)))).toBe('alive');
    } finally {
      process.seteuid?.(0);
    }
  });
});
