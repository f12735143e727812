/** A package as package-lock.json has it: only what is read or written here. */
interface LockedPackage {
  /** Where the folder does not say it. */
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/** The packages of a package-lock.json, by folder. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

const PLATFORM =
  /[-/](aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-(arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64)(?:-(gnu|musl)?\w*)?$/;

/**
 * The optional packages for other platforms that the lock file does not hold although packages in it name them, as
 * entries to add to it. npm leaves out those it cannot find when it writes the file, and `npm ci` then refuses the
 * file. An entry without a checksum is enough for that.
 *
 * Throws where a package is missing whose platform its name does not tell.
 */
export function missingOptional(packages: LockedPackages): Record<string, LockedPackage> {
  const named = Object.entries(packages).flatMap(([folder, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies).map(([name, version]) => ({ folder, name, version, dev })),
  );
  const missing = named.filter(({ folder, name }) => !isLocked(packages, folder, name));
  return Object.fromEntries(
    missing.map(({ name, version, dev }) => {
      const [, os, cpu, libc] = PLATFORM.exec(name) ?? [];
      if (os === undefined || cpu === undefined) throw new Error(`${name}: for which platform?`);
      const entry: LockedPackage = {
        version,
        cpu: [cpu],
        ...(dev === true && { dev }),
        ...(libc !== undefined && { libc: [libc === 'gnu' ? 'glibc' : libc] }),
        optional: true,
        os: [os],
      };
      return [`node_modules/${name}`, entry];
    }),
  );
}

/** Whether `name`, asked for by the package in `folder`, is found by walking up as Node does. */
function isLocked(packages: LockedPackages, folder: string, name: string): boolean {
  const from = folder === '' ? '' : `${folder}/`;
  if (packages[`${from}node_modules/${name}`] !== undefined) return true;
  if (folder === '') return false;
  const parent = folder.slice(0, folder.lastIndexOf('node_modules/')).replace(/\/$/, '');
  return isLocked(packages, parent, name);
}
