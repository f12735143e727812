import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { queueName } from './run-keys.ts';

/**
 * The queue of the jobs of a run, ready for use. Rejects if the server does not answer now: a queue that could not ask
 * for the server's version fails at every later command too, even if the server answers again.
 */
export async function openJobs<Job>(redis: Redis, run: string): Promise<Queue<Job>> {
  const { Queue } = await import('bullmq');
  const jobs = new Queue<Job>(queueName(run), {
    connection: redis,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  jobs.on('error', () => {});
  try {
    await jobs.waitUntilReady();
    return jobs;
  } catch (thrown) {
    await jobs.close().catch(() => {});
    throw thrown;
  }
}
