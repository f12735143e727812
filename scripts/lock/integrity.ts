import type { LockedPackages } from './missing-optional.ts';

/** The folders of packages that would be installed without a check of what came. */
export function foldersWithoutIntegrity(packages: LockedPackages): string[] {
  return Object.entries(packages)
    .filter(([folder, { integrity, link }]) => folder !== '' && link !== true && !integrity)
    .map(([folder]) => folder);
}

/**
 * Those of them that somebody could get on Linux, or with the program: all but tools of developers for other systems.
 * The registry does not have every one of these where the file is written.
 */
export function uncheckedPackages(packages: LockedPackages): string[] {
  return foldersWithoutIntegrity(packages).filter((folder) => {
    const { dev, optional, os = [], cpu = [], libc = ['glibc'] } = packages[folder] ?? {};
    const isOurs =
      (os.length === 0 || os.includes('linux')) &&
      (cpu.length === 0 || cpu.some((name) => ['x64', 'arm64'].includes(name))) &&
      libc.includes('glibc');
    return dev !== true || optional !== true || isOurs;
  });
}

/**
 * The packages with the checksums that were missing, where `ask` knows them.
 *
 * @param ask gives the checksum of a package, as `name@version`, that the registry has
 */
export async function withIntegrity(
  packages: LockedPackages,
  ask: (spec: string) => Promise<string | undefined>,
): Promise<LockedPackages> {
  const completed = { ...packages };
  for (const folder of foldersWithoutIntegrity(packages)) {
    const { name = folder.slice(folder.lastIndexOf('node_modules/') + 13), ...locked } =
      packages[folder] ?? {};
    const integrity = await ask(`${name}@${locked.version}`);
    if (integrity !== undefined) completed[folder] = { ...packages[folder], integrity };
  }
  return completed;
}
