import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ALL_PROGRAMS, makeExecutables } from './release/executable/make-executables.ts';
import { npmPackages } from './release/package/npm-packages.ts';
import { checksumList, releaseFiles } from './release/release-files.ts';
import { RELEASE_USAGE, releaseOptions } from './release/release-options.ts';

/**
 * `npm run release`: builds executables, archives, Debian and npm packages into `release/`. With `--arch` or `--program`
 * only some; with `--bare` only the executables, as `<program>-linux-<arch>`; with `--out` elsewhere.
 */
const root = resolve(import.meta.dirname, '..');
const options = readOptions();
if (options === undefined) process.exit(1);
if (options.help) {
  process.stdout.write(RELEASE_USAGE);
  process.exit();
}
const { platforms, programs, repository, bare: isBare, out = join(root, 'release') } = options;
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
// One time for everything: https://reproducible-builds.org/specs/source-date-epoch/; without it 2000-01-01.
const time = Number(process.env['SOURCE_DATE_EPOCH'] ?? 946_684_800);

await mkdir(out, { recursive: true });
// What an earlier run left there, and nothing else.
const sums = await readFile(join(out, 'SHA256SUMS'), 'utf8').catch(() => '');
for (const [, name = ''] of sums.matchAll(/^[\da-f]{64} {2}([\w.-]+)$/gm)) {
  await rm(join(out, name), { force: true });
}
const all = new Map<string, Buffer>();
for await (const built of makeExecutables({ root, platforms, programs })) {
  const bare = Object.entries(built.programs).map(
    ([name, { content }]) => [`${name}-linux-${built.platform.arch}`, content] as const,
  );
  const files = isBare ? bare : await releaseFiles({ ...built, version, changelog, time });
  for (const [name, bytes] of files) await add(name, bytes);
}
if (!isBare) {
  await import('./build.ts');
  for (const [name, bytes] of await npmPackages({ root, programs, repository, time }))
    await add(name, bytes);
}
await writeFile(join(out, 'SHA256SUMS'), checksumList(all));

async function add(name: string, bytes: Buffer): Promise<void> {
  await writeFile(join(out, name), bytes, { mode: isBare ? 0o755 : 0o644 });
  console.log(`${name}: ${(bytes.length / 1024 ** 2).toFixed(1)} MiB`);
  all.set(name, bytes);
}

function readOptions() {
  try {
    return releaseOptions(process.argv.slice(2), ALL_PROGRAMS);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}
