import { createHash } from 'node:crypto';
import { compress } from './compress.ts';
import type { PackedFile } from './packed-file.ts';
import { writeAr } from './write-ar.ts';
import { writeTar } from './write-tar.ts';

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** Further fields of the control file. */
  readonly fields: Readonly<Record<string, string>>;
  /** One line, and what follows it, in paragraphs. */
  readonly summary: string;
  readonly description: readonly string[];
  readonly files: readonly PackedFile[];
  /** Scripts such as `postinst`, by name. */
  readonly scripts: Readonly<Record<string, string>>;
}

/** The bytes of a `.deb` (deb(5), deb-control(5)); the same for the same package and time. */
export async function writeDeb(deb: DebianPackage, time: number): Promise<Buffer> {
  const control: PackedFile[] = [
    { path: 'control', content: controlFile(deb) },
    { path: 'md5sums', content: checksums(deb.files) },
    ...Object.entries(deb.scripts).map(([path, content]) => ({ path, content, mode: 0o755 })),
  ];
  const [controlTar, dataTar] = await Promise.all([
    writeTar(control, './', time).then(compress),
    writeTar(deb.files, './', time).then(compress),
  ]);
  return writeAr(
    [
      ['debian-binary', Buffer.from('2.0\n')],
      ['control.tar.gz', controlTar],
      ['data.tar.gz', dataTar],
    ],
    time,
  );
}

function controlFile({
  name,
  version,
  architecture,
  fields,
  summary,
  ...rest
}: DebianPackage): string {
  const size = rest.files.reduce((sum, { content }) => sum + Math.ceil(content.length / 1024), 0);
  const lines = [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Installed-Size: ${size}`,
    ...Object.entries(fields).map(([field, value]) => `${field}: ${value}`),
    `Description: ${summary}`,
    ...rest.description.map((line) => ` ${line === '' ? '.' : line}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What `dpkg --verify` compares with. */
function checksums(files: readonly PackedFile[]): string {
  return files
    .filter(({ link }) => link === undefined)
    .map(({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`)
    .sort()
    .join('');
}
