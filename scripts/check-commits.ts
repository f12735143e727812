import { spawnSync } from 'node:child_process';
import { findCommitFaults, readCommits } from './checks/commit-faults.ts';

/** Checks the commits since the rule is there. A copy without its history has nothing to check, and says so. */
const SINCE = '2026-11-28T00:00:00Z';

const log = ['log', '--no-merges', '--name-only', '--format=%x00%h %s', `--since=${SINCE}`];
const { status, stdout } = spawnSync('git', log, { encoding: 'utf8', maxBuffer: 1e9 });
if (status !== 0) console.log('skipped: the check of commits (no history)');
const faults = status === 0 ? findCommitFaults(readCommits(stdout)) : [];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
