// Runs one of the project's TypeScript scripts: `node scripts/start.mjs scripts/build.ts [argument...]`.
// Plain JavaScript of an older standard, so that an old Node says in one line what is missing.
import { pathToFileURL } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 24 || (major === 24 && minor >= 15)) {
  process.argv.splice(1, 1);
  await import(pathToFileURL(process.argv[1]).href);
} else {
  process.stderr.write(
    `This is Node ${process.versions.node}; the scripts need 24.15 or newer. The repository brings one through npm, ` +
      'but it is not installed (npm ci not run, or run with install scripts off): run `npm rebuild node`.\n',
  );
  process.exitCode = 1;
}
