/** A commit and the files it touches. */
export interface Commit {
  /** The short hash and the title. */
  readonly name: string;
  readonly files: readonly string[];
}

const PROMISES = /^test\/promises\//;
const PRODUCT = /^(src|commands|components|installer)\//;

/**
 * The commits that change a promise to users together with the program that has to keep it, one line each: a promise
 * that a change cannot keep is changed in a commit of its own, which says why.
 */
export function findCommitFaults(commits: readonly Commit[]): string[] {
  return commits
    .filter(({ files }) =>
      [PROMISES, PRODUCT].every((part) => files.some((path) => part.test(path))),
    )
    .map(({ name }) => `${name}: changes test/promises and the program; make two commits`);
}

/** The commits in the output of `git log --name-only --format=%x00%h %s`. */
export function readCommits(log: string): Commit[] {
  return log
    .split('\0')
    .filter((text) => text !== '')
    .map((text) => {
      const [name = '', ...files] = text.split('\n').filter((line) => line !== '');
      return { name, files };
    });
}
