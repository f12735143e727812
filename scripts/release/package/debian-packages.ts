import { completionScript } from '../../../commands/generate/generate.ts';
import { unitFile } from '../../../installer/machine/installed-files.ts';
import type { Executable } from '../executable/make-executables.ts';
import { compress } from './compress.ts';
import { SCHEMAS } from './hooks-schema.ts';
import { MANUAL_PAGES } from './manual-pages.ts';
import { SERVICE_SCRIPTS } from './package-scripts.ts';
import type { PackedFile } from './packed-file.ts';
import type { DebianPackage } from './write-deb.ts';

/** What packages are made of besides their programs. */
export interface PackageParts {
  readonly version: string;
  readonly architecture: string;
  /** The executables by the program's name, with their licences. */
  readonly programs: Readonly<Record<string, Executable>>;
  readonly changelog: string;
}

const FIELDS = {
  Maintainer: 'The syncer authors <syncer@localhost>',
  Section: 'net',
  Priority: 'optional',
  // What Node's executables are linked with.
  Depends: 'libc6 (>= 2.28), libstdc++6 (>= 8), libgcc-s1',
};

/** The packages `syncer` and `syncer-webhook`. */
export async function debianPackages(parts: PackageParts): Promise<readonly DebianPackage[]> {
  const { version, architecture } = parts;
  return [
    {
      name: 'syncer',
      version,
      architecture,
      scripts: {},
      fields: { ...FIELDS, Suggests: 'fuse3 | fuse, syncer-webhook' },
      summary: 'copy, sync, move and check files between local disk and cloud storage',
      description: [
        "The command line of rclone for local disks, S3 and Microsoft's drives, with a",
        'terminal interface. This package holds its own run time and needs no Node.',
      ],
      files: [
        ...(await programFiles(parts, 'syncer', 'syncer')),
        // So mount(8) and /etc/fstab know the type "syncer".
        { path: 'usr/sbin/mount.syncer', content: '', link: '../bin/syncer' },
        { path: 'usr/share/bash-completion/completions/syncer', content: completion('bash') },
        { path: 'usr/share/zsh/vendor-completions/_syncer', content: completion('zsh') },
        { path: 'usr/share/fish/vendor_completions.d/syncer.fish', content: completion('fish') },
      ],
    },
    {
      name: 'syncer-webhook',
      version,
      architecture,
      scripts: SERVICE_SCRIPTS,
      fields: { ...FIELDS, Provides: 'webhook', Conflicts: 'webhook', Replaces: 'webhook' },
      summary: 'server that runs commands on HTTP requests',
      description: [
        'Takes the command line, the hook files and the callers of webhook 2.8.0. The',
        "service listens on port 9191, or on 9000 where it replaces Debian's webhook,",
        'and reads its hooks from /etc/webhook.conf.',
      ],
      files: [
        ...(await programFiles(parts, 'webhook', 'syncer-webhook')),
        { path: 'usr/lib/systemd/system/webhook.service', content: serviceUnit() },
      ],
    },
  ];
}

const completion = (shell: 'bash' | 'zsh' | 'fish') => completionScript(shell, true);

/** The unit that the installer writes, under the name of the package; its port is a setting that `postinst` chooses. */
function serviceUnit(): string {
  const choice = { program: '/usr/bin/webhook', hooks: '/etc/webhook.conf', port: 9191 };
  return unitFile({ ...choice, restartDelay: '5s' })
    .replace('webhook-installer', 'syncer-webhook')
    .replace('-port 9191', '-port $PORT')
    .replace(
      '[Service]\n',
      '[Service]\nEnvironment=PORT=9191\nEnvironmentFile=-/etc/default/syncer-webhook\n',
    );
}

/** The program with its manual, schema, licences and changes. */
async function programFiles(
  { programs, changelog }: PackageParts,
  program: string,
  name: string,
): Promise<readonly PackedFile[]> {
  const executable = programs[program];
  if (executable === undefined) throw new Error(`no executable of ${program}`);
  const { LICENSE, ...others } = executable.legal;
  const folder = `usr/share/doc/${name}`;
  const manual = (MANUAL_PAGES[program]?.() ?? []).map(async ({ path, content }) => ({
    path: `usr/share/man/man1/${path}.gz`,
    content: await compress(content),
  }));
  const texts = Object.entries(others).map(async ([path, content]) => ({
    path: `${folder}/${path}.gz`,
    content: await compress(content),
  }));
  const schemas = (SCHEMAS[program]?.() ?? []).map(({ path, content }) => ({
    path: `usr/share/${name}/${path}`,
    content,
  }));
  return [
    ...schemas,
    { path: `usr/bin/${program}`, content: executable.content, mode: 0o755 },
    { path: `${folder}/copyright`, content: LICENSE ?? '' },
    { path: `${folder}/changelog.gz`, content: await compress(changelog) },
    ...(await Promise.all([...manual, ...texts])),
  ];
}
