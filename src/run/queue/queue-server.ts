/** What a Redis or Valkey server says about itself. */
export type QueueServer = Readonly<ReturnType<typeof queueServerOf>>;

/** The oldest version that BullMQ supports. */
export const OLDEST_QUEUE_VERSION = '6.2';

/** Reads the response of `INFO`. */
export function queueServerOf(info: string) {
  const fields = new Map(
    info.split(/\r?\n/).map((line) => {
      const end = line.indexOf(':');
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
  const text = (key: string) => fields.get(key) ?? '';
  const isOk = (key: string) => text(key) === '' || text(key) === 'ok';
  return {
    name: fields.has('valkey_version') ? 'Valkey' : 'Redis',
    /** Of Redis, or the one of Redis that Valkey is compatible with. */
    version: text('redis_version'),
    isCluster: text('redis_mode') === 'cluster' || text('cluster_enabled') === '1',
    /** What it does when its memory is full: `noeviction` keeps everything. */
    evictionPolicy: text('maxmemory_policy'),
    /** In bytes; `memoryLimit` 0: no limit. */
    memoryUsed: Number(text('used_memory')),
    memoryLimit: Number(text('maxmemory')),
    /** Whether it writes each change to disk (`appendonly`). */
    isAppendOnly: text('aof_enabled') === '1',
    /** Whether the last write to disk succeeded. */
    isSaved: isOk('rdb_last_bgsave_status') && isOk('aof_last_write_status'),
  };
}

/** Whether a server has at least `OLDEST_QUEUE_VERSION`. */
export function isNewEnough({ version }: Pick<QueueServer, 'version'>): boolean {
  return version.localeCompare(OLDEST_QUEUE_VERSION, 'en', { numeric: true }) >= 0;
}
