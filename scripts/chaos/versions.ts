import type { Case } from './case.ts';
import type { Places } from './places.ts';
import { runHere } from './run-program.ts';

/** Writes the versions that a case asks for; returns what compares those that are left with its budget. */
export async function writeVersions(places: Places, spec: string, trial: Case) {
  const { versions, b = {}, flags } = trial;
  if (versions === undefined) return { faults: () => [] };
  await runHere(places, ['backend', 'versioning', spec, 'Enabled']);
  for (let n = 0; n < versions; n++) {
    for (const path of Object.keys(b))
      await runHere(places, ['rcat', `${spec}/${path}`], Buffer.from(`${n}`));
  }
  const count = async () => {
    const { stdout } = await runHere(places, ['lsf', '-R', '--s3-versions', spec]);
    return stdout.toString().split('\n').length;
  };
  const before = await count();
  const numberOf = (name: string) =>
    Number(flags.find((flag) => flag.startsWith(name))?.slice(name.length));
  return {
    async faults() {
      const deleted = before - (await count());
      const due = Object.keys(b).length * Math.max(0, versions - numberOf('--keep='));
      const limit = numberOf('--max-delete=');
      return deleted > Math.min(due, limit)
        ? [`${deleted} versions were deleted, not ${limit}`]
        : [];
    },
  };
}
