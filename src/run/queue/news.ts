import type { Redis } from 'ioredis';
import type { QueueConnection } from './connect.ts';
import { RUNS_KEY, runKey } from './run-keys.ts';

/**
 * What has changed: `ranges`, a slot is idle or names can be shared, which matters to the worker that coordinates
 * and to those without a range; `state`, a run has begun, is to stop or has ended, or a worker has left it.
 */
export type News = 'ranges' | 'state';

/** Sends news to all that listen to a run (`undefined`: to all runs). They may be lost: listeners also look from time to time. */
export async function sendNews(
  redis: Pick<Redis, 'publish'>,
  run: string | undefined,
  news: News,
): Promise<void> {
  await redis.publish(channelOf(run), news).catch(() => {});
}

/** Calls `listener` with the news of a run (`undefined`: of all runs), until the queue is closed. */
export function listenForNews(
  queue: Pick<QueueConnection, 'patient'>,
  run: string | undefined,
  listener: (news: News) => void,
): void {
  const redis = queue.patient();
  redis.on('message', (_channel, news) => listener(news as News));
  // A user of the server that has no access to channels only looks from time to time.
  redis.subscribe(channelOf(run)).catch(() => {});
}

const channelOf = (run: string | undefined) => (run === undefined ? RUNS_KEY : runKey(run, 'news'));

/** Waits for a time that news can cut short. */
export class Waiting {
  #news = Promise.withResolvers<void>();

  /** Ends the wait, or the next one if there is none. */
  end(): void {
    this.#news.resolve();
  }

  async wait(time: Promise<void>): Promise<void> {
    await Promise.race([time, this.#news.promise]);
    this.#news = Promise.withResolvers();
  }
}
