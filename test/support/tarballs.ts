import { gzipSync } from 'node:zlib';

/** An entry of a tarball as a test wants it, also one that no honest program makes. */
export interface TarPart {
  readonly name: string;
  readonly content?: Buffer | string;
  /** The type flag; `0`, a file, where absent. */
  readonly type?: string;
  readonly link?: string;
}

/** A tar archive, not compressed. */
export function tar(parts: readonly TarPart[]): Buffer {
  const blocks = parts.flatMap(({ name, content = '', type = '0', link = '' }) => {
    const body = Buffer.from(content as string);
    const head = Buffer.alloc(512);
    head.write(name, 0, 'latin1');
    head.write('0000755\0', 100);
    head.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
    head.write('00000000000\0', 136);
    head.write('        ', 148);
    head.write(type, 156);
    head.write(link, 157);
    head.write('ustar\x0000', 257, 'latin1');
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [head, body, Buffer.alloc(-body.length & 511)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A gzip tarball. */
export const tarball = (parts: readonly TarPart[]) => gzipSync(tar(parts));

const MACHINES = { amd64: 62, arm64: 183 } as const;

/** The first bytes of a program for Linux on this architecture, and some more. */
export function fakeProgram(arch: keyof typeof MACHINES = 'amd64', text = 'program'): Buffer {
  const head = Buffer.alloc(64);
  head.write('\x7fELF\x02\x01\x01', 'latin1');
  head.writeUInt16LE(MACHINES[arch], 18);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** An archive of a release as the installer expects it. */
export function releaseArchive(
  arch: keyof typeof MACHINES = 'amd64',
  program = fakeProgram(arch),
): Buffer {
  const folder = `webhook-linux-${arch}`;
  return tarball([
    { name: `${folder}/`, type: '5' },
    { name: `${folder}/README.md`, content: 'Read me.' },
    { name: `${folder}/webhook`, content: program },
  ]);
}
