import type { SourceFile } from './source-files.ts';

/** Code that a rule of CONTRIBUTING.md allows in some files only. */
interface CodeRule {
  readonly found: RegExp;
  readonly allowed: RegExp;
  readonly fault: string;
}

const RULES: readonly CodeRule[] = [
  {
    found: /from 'node:(?!stream')[^']*'/,
    allowed: /^(?!src\/core\/)/,
    fault: 'src/core reads no file and opens no socket (rule 1)',
  },
  {
    found: /\bprocess\.env\b/,
    allowed: /^(src\/(main|shell\/process\/.*|webhook\/.*)|installer\/main)\.ts$/,
    fault: 'the environment is passed (rule 9)',
  },
  {
    found: /\bprocess\.exit(\(|Code = )/,
    allowed:
      /^(src\/main|src\/shell\/process\/[^/]+|src\/webhook\/(main|start\/[^/]+)|installer\/main)\.ts$/,
    fault: 'only the main files and src/shell/process end the process (rule 4)',
  },
  {
    // Protocols with their own errors, and errors that are caught and translated in the directory that throws them.
    found: /\bclass \w+ extends Error\b/,
    allowed:
      /^src\/(core\/errors|engine\/walk-both|backends\/(local\/fs-error|s3-protocol\/read-xml|http\/.*)|(webhook|serve|go)\/.*)\.ts$/,
    fault: 'throw a SyncerError (rule 4)',
  },
  {
    // Backends, what wraps or serves remotes, and files of syncer itself: trials and locks.
    found:
      /\b(?:deleteOne|deleteUnchanged|purge|purgeUnlisted|deleteKept)(?:\?\.)?\(|\b(?:remote|source|dest|trash|own|inner|target|from)\.delete\(/,
    allowed:
      /^(src\/(engine\/(loss\/[^/]+|place\/(trial-file|places))|backends\/.*|core\/(observed|remote-calls)|system\/only-over|run\/(journal\/[^/]+|presence\/remote-lease)|(vfs|serve)\/.*)|commands\/doctor\/remote-checks)\.ts$/,
    fault: 'content is lost by src/engine/loss alone (rule 13)',
  },
  {
    found: /\bObject\.create\((?!null\))/,
    allowed: /^$/,
    fault: 'copy an object with { ...object } (rule 9)',
  },
  {
    found: /\bInvocation\b/,
    allowed: /^src\/(run\/(invocation|run-command)|shell\/command-line\/command)\.ts$/,
    fault: 'name the parts of an invocation that are needed (rule 14)',
  },
  {
    found: /\.\.\.\s*\{/,
    allowed: /^$/,
    fault: 'write the members of an object literal plainly',
  },
  {
    found: /^await |^(export )?(const|let) .*= await /m,
    allowed: /^$/,
    fault: 'importing a module does no work: no await outside functions (rule 9)',
  },
  {
    found: /^[\w.]+\(.*\);$/m,
    allowed: /^(src\/main|src\/webhook\/main|installer\/main)\.ts$/,
    fault: 'importing a module does no work: no calls outside functions (rule 9)',
  },
];

/** Where product code breaks a rule of CONTRIBUTING.md that the linter cannot check, one line each. */
export function findRuleFaults(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /^(src|commands|components|installer)\//.test(path))
    .flatMap(({ path, text }) =>
      RULES.filter(({ found, allowed }) => found.test(text) && !allowed.test(path)).map(
        ({ found, fault }) => `${path}: "${found.exec(text)?.[0]}": ${fault}`,
      ),
    );
}
