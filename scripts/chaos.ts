import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Case } from './chaos/case.ts';
import { commandLine, failureText } from './chaos/failure-text.ts';
import { MAY_MOUNT } from './chaos/mounted.ts';
import { type WorkerNews, type WorkerOrder, work } from './chaos/worker.ts';

/**
 * `npm run chaos -- [--seed N] [--minutes M]`: random trees, flags and faults, and what must hold after each run.
 * Stops at the third failure. The last line says how many trials passed and failed.
 */
const HELP = `npm run chaos -- [--seed N] [--minutes M] [--trials N] [--twice] [--case JSON]
`;

const MOST_FAILURES = 3;

const [, , worker] = process.argv;
if (worker === '--worker') {
  process.env['TZ'] = 'UTC';
  process.once('message', async (order: WorkerOrder) => {
    await work(order, (news) => process.send?.(news));
    process.exit(0);
  });
} else await main();

/** Whether this machine gives a process mounts of its own. */
function hasUnshare(): boolean {
  return spawnSync('unshare', ['--mount', 'true']).status === 0;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string', default: '2' },
      trials: { type: 'string' },
      twice: { type: 'boolean', default: false },
      case: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const only = values.case === undefined ? undefined : (JSON.parse(values.case) as Case);
  const jobs = only === undefined ? 2 * availableParallelism() : 1;
  const minutes = Number(values.minutes);
  if (only === undefined) console.log(`seed ${seed}, ${minutes} minutes, ${jobs} processes`);
  // What is killed is the built program.
  const build = join(import.meta.dirname, 'build.ts');
  execFileSync(process.execPath, [build], { stdio: ['ignore', 'ignore', 'inherit'] });
  const folder = mkdtempSync(join(tmpdir(), 'syncer-chaos-'));
  const until = Date.now() + minutes * 60_000;
  const counts = { passed: 0, failed: 0 };
  const running = new Set<ChildProcess>();
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    for (const child of running) child.kill('SIGKILL');
  };
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);

  const mayMount = process.getuid?.() === 0 && hasUnshare();
  if (!mayMount) console.log('no trials with mounts: they need root and unshare');

  const take = (text: string) => {
    console.log(text);
    if (++counts.failed >= MOST_FAILURES) stop();
  };
  const start = (job: number, first: number): Promise<void> => {
    const order: WorkerOrder = {
      folder: join(folder, `${job}-${first}`),
      seed,
      first,
      step: jobs,
      until,
      twice: values.twice,
      end: values.trials === undefined ? Number.MAX_SAFE_INTEGER : Number(values.trials),
      ...(only === undefined ? {} : { only }),
    };
    const child = fork(import.meta.filename, ['--worker'], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      ...(mayMount && {
        execPath: 'unshare',
        execArgv: ['--mount', process.execPath, ...process.execArgv],
        env: { ...process.env, [MAY_MOUNT]: '1' },
      }),
    });
    running.add(child);
    let begun: Case | undefined;
    let [done, written] = [0, ''];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        written = (written + chunk).slice(-4000);
      });
    }
    child.on('message', (news: WorkerNews) => {
      if ('begun' in news) begun = news.begun;
      else {
        done++;
        if ('passed' in news) counts.passed++;
        else take(failureText(news.failed));
      }
    });
    child.send(order);
    return new Promise((resolve) => {
      child.on('close', (code, signal) => {
        running.delete(child);
        if (code === 0 || isStopping) return resolve();
        // The program ended the whole process, which is a failure of the trial that ran.
        const ended = begun === undefined ? 'before a trial' : commandLine(begun);
        take(`FAILED: the process ended with ${code ?? signal}\n${written}\n${ended}`);
        if (counts.failed >= MOST_FAILURES) return resolve();
        void start(job, first + (done + 1) * jobs).then(resolve);
      });
    });
  };
  await Promise.all(Array.from({ length: jobs }, (_, job) => start(job, job)));
  console.log(`${counts.passed} trials passed, ${counts.failed} failed`);
  if (counts.failed > 0) process.exitCode = 1;
}
