import type { Architecture } from '../machine/architecture.ts';
import type { InstallerOptions } from '../options.ts';
import type { InstallStep } from './step.ts';

/** The steps that bring the archive here: from a file, or from the release host or its mirror. */
export function archiveSteps(
  { archive, releaseUrl, mirrorUrl, version, sha256 }: InstallerOptions,
  { name: architecture }: Architecture,
): readonly InstallStep[] {
  const verify: InstallStep = { kind: 'verify', sha256 };
  if (archive !== undefined) return [{ kind: 'read-archive', file: archive }, verify];
  const name = `webhook-linux-${architecture}.tar.gz`;
  const folder = `${releaseUrl}/${version}`;
  const source = { url: `${folder}/${name}`, sumsUrl: `${folder}/SHA256SUMS`, name, mirrorUrl };
  return [{ kind: 'test-connection', source }, { kind: 'download', source }, verify];
}

/** The step that unpacks the program. */
export function programStep(
  path: string,
  { name, elfMachine }: Architecture,
  replaces: boolean,
): InstallStep {
  return {
    kind: 'place-program',
    path,
    entry: `webhook-linux-${name}/webhook`,
    elfMachine,
    replaces,
  };
}
