import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unpackProgram } from '../../../installer/release/unpack-program.ts';
import { bundle } from '../../bundle/bundle.ts';
import { PACKAGES, type PackageName, PROGRAMS } from '../../bundle/programs.ts';
import { fetchPackage } from '../fetch-package.ts';
import { PLATFORMS, type Platform } from '../platforms.ts';
import { addBlob } from './add-blob.ts';
import { makeBlob } from './make-blob.ts';
import { programFiles } from './program-files.ts';
import { koffiScript, startScript, threadScript } from './runtime-scripts.ts';

/** An executable, and the licences of what is in it. */
export interface Executable {
  readonly content: Buffer;
  /** Licence texts, and the bill of materials, by file name. */
  readonly legal: Readonly<Record<string, string>>;
}

/** The executables of a platform, by the name of the program. */
export interface Executables {
  readonly platform: Platform;
  readonly programs: Readonly<Record<string, Executable>>;
}

/** What is wanted of a release. */
export interface ReleaseChoice {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly platforms: readonly Platform[];
  readonly programs: readonly string[];
}

/** Builds the executables, platform by platform. */
export async function* makeExecutables(choice: ReleaseChoice): AsyncGenerator<Executables> {
  const { root } = choice;
  const cache = join(root, 'node_modules/.cache/syncer-release');
  const packages = await Promise.all(
    Object.entries(PACKAGES).map(async ([name, { programs }]) => {
      const { files, parts } = await bundle(root, name as PackageName);
      const contents = new Map(files.map(({ path, contents }) => [path, contents]));
      return { programs: programs as readonly string[], parts, contents };
    }),
  );
  const koffi = Buffer.from(await koffiScript(root));
  const modules = Buffer.from(await threadScript());
  const node = await nodeOfThisMachine(cache);
  for (const platform of choice.platforms) {
    const archive = await fetchPackage(platform.node, cache);
    const runtime = await unpacked(archive, 'package/bin/node');
    const native = await nativePart(root, platform, cache);
    const koffiLicence = await readFile(join(root, 'node_modules/koffi/LICENSE.txt'), 'utf8');
    const shared = {
      LICENSE: await readFile(join(root, 'LICENSE'), 'utf8'),
      'KOFFI_LICENSE.txt': koffiLicence,
      'NODE_LICENSE.txt': (await unpacked(archive, 'package/LICENSE')).toString('utf8'),
    };
    const programs: Record<string, Executable> = {};
    for (const name of choice.programs) {
      const { parts, contents } = packages.find((one) => one.programs.includes(name)) ?? unknown();
      const assets = new Map<string, Uint8Array>([
        ['koffi.js', koffi],
        ['koffi.node', native],
        ['modules.cjs', modules],
      ]);
      for (const path of programFiles(parts, `${name}.js`)) {
        assets.set(path, contents.get(path) ?? new Uint8Array());
      }
      const main = await startScript(`${name}.js`);
      const text = (path: string) => Buffer.from(contents.get(path) ?? '').toString('utf8');
      const own = ['THIRD_PARTY.txt', 'sbom.cdx.json'].map((path) => [path, text(path)] as const);
      programs[name] = {
        content: addBlob(runtime, await makeBlob(node, { main, assets })),
        legal: { ...shared, ...Object.fromEntries(own) },
      };
    }
    yield { platform, programs };
  }
}

function unknown(): never {
  throw new Error('a program is in no package');
}

/** The names of all programs. */
export const ALL_PROGRAMS: readonly string[] = Object.keys(PROGRAMS);

/** Blobs are for one version of Node, and only that version makes them. */
async function nodeOfThisMachine(cache: string): Promise<string> {
  const platform = PLATFORMS.find(({ arch }) => arch === process.arch);
  if (platform === undefined || process.platform !== 'linux') {
    throw new Error('releases are built on Linux, on x64 or arm64');
  }
  if (`v${platform.node.version}` === process.version) return process.execPath;
  const path = join(cache, `node-${platform.node.version}`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(
    path,
    await unpacked(await fetchPackage(platform.node, cache), 'package/bin/node'),
  );
  await chmod(path, 0o755);
  return path;
}

/** koffi's native part, its package's checksum from package-lock.json. */
async function nativePart(
  root: string,
  { koffi, koffiFile }: Platform,
  cache: string,
): Promise<Buffer> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const { version, integrity } = packages[`node_modules/${koffi}`] ?? {};
  if (typeof integrity !== 'string')
    throw new Error(`package-lock.json has no checksum of ${koffi}`);
  return unpacked(await fetchPackage({ name: koffi, version, integrity }, cache), koffiFile);
}

async function unpacked(archive: Buffer, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await unpackProgram(archive, path, async (chunk) => void chunks.push(Buffer.from(chunk)));
  return Buffer.concat(chunks);
}
