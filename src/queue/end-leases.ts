import type { Redis } from 'ioredis';
import { openJobs } from './open-jobs.ts';

/**
 * Ends the leases of a worker that is gone, so that others take its ranges before they run out. A lease is ended by its
 * token: one that another worker has by now stays.
 *
 * @param locks what the tokens of that worker begin with
 * @returns how many were ended
 */
export async function endLeases(redis: Redis, run: string, locks: string): Promise<number> {
  const jobs = await openJobs(redis, run);
  let ended = 0;
  try {
    for (const job of await jobs.getActive()) {
      const token = await redis.get(`${jobs.toKey(job.id ?? '')}:lock`);
      if (token?.startsWith(`${locks}:`) !== true) continue;
      const isEnded = await job.moveToWait(token).then(
        () => true,
        // It has run out.
        () => false,
      );
      if (isEnded) ended++;
    }
  } finally {
    await jobs.close();
  }
  return ended;
}
